/* Sources and sinks in a step (boundary/source.h tells what they are). The particles that a fluxed source
 * holds are noted before the transfers and put where its belt has carried them afterwards, whatever the
 * transfers made of them.
 */
#ifndef CT_BOUNDARY_FLOW_H
#define CT_BOUNDARY_FLOW_H

#include "boundary/border.h"
#include "core/real.h"

/* The velocity criterion counts what sources will do, too: the largest of `speed` and theirs, m/s. */
double CT_FN(ct_flow_speed)(const ct_border *border, double speed);

/* Collects the particles that sources will have made by `end`, and all memory that they need: what may fail.
 */
ct_status CT_FN(ct_flow_prepare)(ct_border *border, double end, ct_error *error);

/* Notes the particles that sources hold during the next dt. */
ct_status CT_FN(ct_flow_hold)(ct_border *border, double dt, ct_error *error);

/* Nodes inside a source get its velocity. */
void CT_FN(ct_flow_impose)(ct_border *border);

/* The particles that sources hold in the step under way, one after the other, and how far each goes, m. */
typedef void ct_held(void *context, size_t particle, const double way[3]);
void CT_FN(ct_flow_each_held)(ct_border *border, ct_held *act, void *context);

/* Moves the held particles on, as new as they were. */
void CT_FN(ct_flow_carry)(ct_border *border);

/* Room for marks. */
ct_status CT_FN(ct_flow_reserve)(ct_border *border, ct_error *error);

/* Triangles and lines of the marked particles go. Where those are leaving, the others' corners become places
 * in the list of those that stay. */
ct_status CT_FN(ct_flow_unlink)(ct_border *border, bool are_leaving, ct_error *error);

/* The patterns of sources move on from the time `before` to now; what is in a sink, or far away, leaves; the
 * particles that were prepared come. `is_instant`: someone may look at the world now. */
void CT_FN(ct_flow_pass)(ct_border *border, double before, bool is_instant);

/* Sources that are new make the particles that they begin with. */
ct_status CT_FN(ct_flow_start)(ct_border *border, ct_error *error);

#endif
