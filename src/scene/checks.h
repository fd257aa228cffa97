/* Checks across keys, which no single row of the table can express. Each is the `finish` of a section: it
 * runs when the section's keys are right by themselves. Those about methods are in checks_method.c.
 */
#ifndef CT_SCENE_CHECKS_H
#define CT_SCENE_CHECKS_H

#include "scene/decode.h"

void ct_check_time(ct_decoder *decoder, const ct_yaml *node, void *definition);
void ct_check_domain(ct_decoder *decoder, const ct_yaml *node, void *definition);
void ct_check_step(ct_decoder *decoder, const ct_yaml *node, void *definition);
void ct_check_motion(ct_decoder *decoder, const ct_yaml *node, void *definition);
void ct_check_collider(ct_decoder *decoder, const ct_yaml *node, void *definition);
void ct_check_body(ct_decoder *decoder, const ct_yaml *node, void *definition);
void ct_check_source(ct_decoder *decoder, const ct_yaml *node, void *definition);
void ct_check_change(ct_decoder *decoder, const ct_yaml *node, void *definition);
void ct_check_joint(ct_decoder *decoder, const ct_yaml *node, void *definition);
void ct_check_force(ct_decoder *decoder, const ct_yaml *node, void *definition);
void ct_check_sink(ct_decoder *decoder, const ct_yaml *node, void *definition);
void ct_check_camera(ct_decoder *decoder, const ct_yaml *node, void *definition);
void ct_check_scene(ct_decoder *decoder, const ct_yaml *node, void *definition);
void ct_check_material(ct_decoder *decoder, const ct_yaml *node, void *definition);

/* Parts of them: that a shape has an inside; that a source may make its material; that bodies and sources
 * are of the methods of their materials, and the keys of each method go together. */
void ct_check_is_solid(ct_decoder *decoder, const ct_yaml *node, const ct_shape_def *shape, const char *what);
void ct_check_flows(ct_decoder *decoder, const ct_yaml *node, int material);
void ct_check_methods(ct_decoder *decoder, const ct_yaml *node, const ct_scene *scene);

#endif
