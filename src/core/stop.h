/* A request to stop, for work that takes long before there is a state to keep: sampling, meshing. The program
 * says which flag to watch while it is ready to be stopped; its signal handler raises it; long loops look.
 *
 *     ct_stop_watch(&flag);
 *     status = ct_run_create(...);    // CT_FAILED soon after the flag is raised
 *     ct_stop_watch(NULL);
 *
 * Nobody who does not call ct_stop_watch is ever stopped. Steps never look: a step is short, and done or not.
 */
#ifndef CT_CORE_STOP_H
#define CT_CORE_STOP_H

#include "core/error.h"

#include <signal.h>

void ct_stop_watch(const volatile sig_atomic_t *flag); /* NULL: nothing */

/* Whether the flag is up; cheap, from any thread. */
bool ct_stop_is_asked(void);

/* CT_FAILED, and says so, when it is. */
ct_status ct_stop_check(ct_error *error);

#endif
