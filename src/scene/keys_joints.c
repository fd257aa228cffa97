/* The keys of joints of rigid bodies. */
#include "scene/checks.h"
#include "scene/keys.h"

#include <math.h>

#define COUNT(array)  (int)(sizeof(array) / sizeof *(array))
#define JOINT(member) offsetof(ct_joint_def, member)

static const ct_word types[] = {
    {"ball", CT_JOINT_BALL, "fixes a common point; in 2D a hinge"},
    {"hinge", CT_JOINT_HINGE, "fixes a common point and axis"},
    {"slider", CT_JOINT_SLIDER, "relative motion along an axis only, without rotation"},
    {NULL, 0, NULL},
};

static const ct_key joint_keys[] = {
    {"type", CT_KEY_WORD, "Type of joint.", JOINT(type), .words = types, .flags = CT_REQUIRED,
     .example = "hinge"},
    {"body", CT_KEY_TEXT, "The name of a rigid body above.", JOINT(body), .flags = CT_REQUIRED,
     .example = "wheel"},
    {"to", CT_KEY_TEXT, "The name of another. By default the world.", JOINT(to), .flags = CT_NO_DEFAULT,
     .example = "cart"},
    {"at", CT_KEY_VECTOR, "Position.", JOINT(at), .dimension = CT_LENGTH, .flags = CT_REQUIRED,
     .example = "[0, 1, 0]"},
    {"axis", CT_KEY_VECTOR, "Axis of a hinge or slider; hinges in 2D turn in the plane.", JOINT(axis),
     .flags = CT_NO_DEFAULT, .example = "[0, 0, 1]"},
    {"lower", CT_KEY_QUANTITY, "Lower limit: rad, or m for a slider.", JOINT(lower),
     .given = CT_GIVEN(JOINT(has_limits)), .flags = CT_NO_DEFAULT, .example = "-1"},
    {"upper", CT_KEY_QUANTITY, "Upper limit.", JOINT(upper), .needs_offset = JOINT(has_limits),
     .needs = "lower", .flags = CT_NO_DEFAULT, .example = "1"},
    {"motor_speed", CT_KEY_QUANTITY, "Target speed of a motor: rad/s, or m/s for a slider.",
     JOINT(motor_speed), .flags = CT_NO_DEFAULT, .example = "3"},
    {"motor_most", CT_KEY_QUANTITY, "Maximum torque or force of the motor: N m, or N. 0: no motor.",
     JOINT(motor_most), .least = 0, .most = INFINITY, .example = "10"},
    {"stiffness", CT_KEY_QUANTITY, "Stiffness of a spring towards `rest`: N m/rad, or N/m.", JOINT(stiffness),
     .least = 0, .most = INFINITY, .example = "100"},
    {"damping", CT_KEY_QUANTITY, "Damping of the spring: N m s/rad, or N s/m.", JOINT(damping), .least = 0,
     .most = INFINITY, .example = "1"},
    {"rest", CT_KEY_QUANTITY, "Rest position of the spring: rad, or m.", JOINT(rest), .example = "0.5"},
};
static const ct_section joint = {.keys = joint_keys, .count = COUNT(joint_keys), .finish = ct_check_joint};

static void set_default_joint(void *definition)
{
    *(ct_joint_def *)definition = ct_default_joint_def();
}

const ct_named ct_named_joints = {"joint",           10000,       sizeof(ct_joint_def),
                                  set_default_joint, JOINT(name), .section = &joint};
