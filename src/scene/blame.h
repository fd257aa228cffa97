/* Mistakes of a scene that show only when a world is built from it. */
#ifndef CT_SCENE_BLAME_H
#define CT_SCENE_BLAME_H

#include "scene/scene.h"

/* Hands on what came of building a world. A mistake of the scene gets its file, line and column, and is
 * CT_BAD_SCENE. */
ct_status ct_scene_blame(const ct_scene *scene, ct_status status, ct_error *error);

#endif
