/* `run --view`: a viewer of the run in a process of its own, at lower priority. Whatever is done to its
 * server, the run does not share its memory, its threads or its fate.
 */
#ifndef CT_APP_ONLOOKER_H
#define CT_APP_ONLOOKER_H

#include <sys/types.h>

typedef struct ct_onlooker {
    pid_t process; /* 0: none */
    char url[320]; /* "": it did not start; it has said why on stderr */
} ct_onlooker;

void ct_onlooker_start(ct_onlooker *onlooker, const char *folder);
/* Waits for Ctrl-C, so that the finished run can be looked at. */
void ct_onlooker_wait(ct_onlooker *onlooker);
void ct_onlooker_end(ct_onlooker *onlooker); /* fine where there is none */

#endif
