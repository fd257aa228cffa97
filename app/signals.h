/* Signals as facts to look at between two steps. The handler only notes them; what to do is decided in the
 * loop. The one thing it does itself: a second request to stop quits at once, since the first may be stuck
 * behind a long step. Files appear whole or not at all, so nothing is lost by that.
 */
#ifndef CT_APP_SIGNALS_H
#define CT_APP_SIGNALS_H

#include <stdbool.h>

void ct_signals_catch(void);
int ct_signals_stop(void);             /* SIGINT or SIGTERM once one has come, else 0 */
bool ct_signals_take_checkpoint(void); /* whether SIGUSR1 has come since the last call */
bool ct_signals_take_hangup(void);     /* the same for SIGHUP */

/* Between these two, a request to stop or the end of `seconds` (infinite: never) ends sampling and other work
 * that comes before the first step: see core/stop.h. The second says whether one came. */
void ct_signals_begin_building(double seconds);
bool ct_signals_end_building(void);

#endif
