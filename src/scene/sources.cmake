ct_folder(scene scene/number.c scene/units.c scene/mistakes.c scene/encoding.c scene/yaml.c scene/settings.c
  scene/variants.c scene/looks.c scene/shapes.c scene/models.c scene/methods.c scene/keys.c scene/keys_flow.c scene/keys_method.c scene/keys_forces.c scene/keys_joints.c scene/colliders.c scene/describe.c scene/values.c scene/texts.c
  scene/decode.c scene/blame.c scene/checks.c scene/checks_method.c scene/scene.c scene/info.c scene/library.c scene/build.c scene/print.c scene/used.c scene/json.c scene/schema.c scene/schema_kinds.c
  scene/presets.c scene/softening.c scene/reference.c scene/reference_scene.c)
