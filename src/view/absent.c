/* The viewer of a build that has none. */
#include "view/view.h"

bool ct_viewer_is_built(void)
{
    return false;
}

ct_status ct_viewer_open(const ct_viewer_def *def, ct_viewer **viewer, ct_error *error)
{
    (void)def;
    *viewer = NULL;
    return ct_fail(error, CT_FAILED,
                   "this program was built without the viewer, which needs " CT_VIEW_LACKS
                   "; 'make view' in the source tree installs that and builds it");
}

int ct_viewer_port(const ct_viewer *viewer)
{
    (void)viewer;
    return 0;
}

void ct_viewer_close(ct_viewer *viewer)
{
    (void)viewer;
}
