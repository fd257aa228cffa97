/* Settings of the command line, `--set bodies.ball.velocity=[1,0,0]`: an address and a value in the scene
 * language, put into the tree before it is decoded, so that a setting means and is checked as if it stood in
 * the file.
 */
#ifndef CT_SCENE_SETTINGS_H
#define CT_SCENE_SETTINGS_H

#include "scene/yaml.h"

/* Puts the settings [count] into the tree, in their order. Parts of the address are keys, or numbers from 0
 * in lists; what is not there is added. The old tree is left as it is, for its nodes may be shared by
 * aliases. Mistakes are noted. */
ct_status ct_settings_apply(ct_arena *arena, ct_mistakes *mistakes, const char *const *settings, int count,
                            ct_yaml **root);

#endif
