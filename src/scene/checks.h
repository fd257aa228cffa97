/* Checks across keys, which no single row of the table can express. Each is the `finish` of a section: it
 * runs when the section's keys are right by themselves.
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
void ct_check_sink(ct_decoder *decoder, const ct_yaml *node, void *definition);
void ct_check_camera(ct_decoder *decoder, const ct_yaml *node, void *definition);
void ct_check_scene(ct_decoder *decoder, const ct_yaml *node, void *definition);

#endif
