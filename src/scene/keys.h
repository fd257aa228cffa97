/* The scene language as data. ONE table says which keys there are, what each holds, in which unit and range,
 * what it is by default and into which field of which definition it goes. Everything else walks it:
 *
 *     decode.c      a scene's text -> the definitions
 *     used.c        the definitions -> text (used.yaml)
 *     schema.c      JSON Schema for editors
 *     reference.c   the reference page, the reference scene
 *
 * so a new key is one row here and appears in all of them. Materials, schemes and shapes are variants: a type
 * and the keys of that type. Theirs are made from the lists of those models, so a new model needs no row at
 * all.
 */
#ifndef CT_SCENE_KEYS_H
#define CT_SCENE_KEYS_H

#include "core/quantity.h"
#include "material/info.h"
#include "scene/decode.h"
#include "scene/methods.h"

/* What a key holds, and the C type at its offset. */
typedef enum ct_kind {
    CT_KEY_BOOL,      /* bool */
    CT_KEY_INTEGER,   /* int */
    CT_KEY_SEED,      /* uint64_t */
    CT_KEY_QUANTITY,  /* double; a number with a unit */
    CT_KEY_SCALE,     /* double[3]; one number or one a direction */
    CT_KEY_VECTOR,    /* double[3] */
    CT_KEY_VECTORS,   /* const double (*)[3] and an int count; a list of vectors */
    CT_KEY_MATRIX,    /* double[9], row-major */
    CT_KEY_TRACK,     /* ct_track; a vector, or keyframes of one */
    CT_KEY_TEXT,      /* const char * */
    CT_KEY_FILE,      /* const char *; a file that must be there, relative to the scene's */
    CT_KEY_COLOR,     /* double[3], linear; "#rrggbb" in sRGB */
    CT_KEY_WORD,      /* int; one of `words` */
    CT_KEY_WORDS,     /* unsigned; a list of `words`, each of them a bit */
    CT_KEY_NAME,      /* const char *; one of `names` */
    CT_KEY_INDEX,     /* int; one of `names`, by its number */
    CT_KEY_NAMES,     /* const char *const * and an int count; a list of `names` */
    CT_KEY_MATERIAL,  /* int; the name of a material of the scene */
    CT_KEY_BODIES,    /* const char *const * and an int count; names of bodies of the scene, sources too */
    CT_KEY_PARAMETER, /* const ct_parameter * and an int count, to which it is added */
    CT_KEY_OPTION,    /* likewise; one of the words of `option`, by its number */
    CT_KEY_TYPE,      /* the type of a variant, kept by the variant */
    CT_KEY_SECTION,   /* more keys, in the definition at its offset */
    CT_KEY_VARIANT,   /* a definition of one of `variants` */
    CT_KEY_LIST,      /* an array of them and an int count */
    CT_KEY_NAMED,     /* an array of definitions and an int count; a mapping from names to them */
    CT_KEY_LATER,     /* of the language, but not in this version */
    CT_KINDS
} ct_kind;

enum {
    CT_REQUIRED = 1 << 0,
    CT_ONLY_3D = 1 << 1,    /* makes no sense in 2D */
    CT_NONZERO = 1 << 2,    /* a direction: a vector of length 0 is a mistake */
    CT_READ_ONLY = 1 << 3,  /* another way to say what other keys hold: read, never written */
    CT_NO_DEFAULT = 1 << 4, /* what stands in the definition means that nothing was chosen */
    CT_COMMON = 1 << 5,     /* the same in all variants of its kind: the reference says it once */
    CT_SCALAR = 1 << 6,     /* a vector of which only the first component is used: a number */
    CT_TURN = 1 << 7        /* a rotation vector: in 2D the third component alone, a number */
};

/* A word and what it stands for. `value` CT_WORD_LATER: not in this version. Lists end with name NULL. */
enum { CT_WORD_LATER = -1 };
typedef struct ct_word {
    const char *name;
    int value;
    const char *doc;
} ct_word;

/* A list of names kept elsewhere: quantities, writers, methods. NULL past its end; *doc explains the name. */
typedef const char *(*ct_names)(int index, const char **doc);

/* An offset that may be 0, where 0 stands for none. */
#define CT_GIVEN(offset) ((offset) + 1)

typedef struct ct_key {
    const char *name;
    ct_kind kind;
    const char *doc;
    size_t offset;       /* of the value in the definition that the section fills */
    size_t count_offset; /* of the count, where the kind has one */
    size_t given;        /* CT_GIVEN of a bool that becomes true when the key is given; 0: none */
    size_t needs_offset; /* of a bool that must be true for the key to make sense; 0: none */
    const char *needs;   /* the key that makes it true */
    ct_dimension dimension;
    double least, most; /* inclusive; both 0: any number */
    unsigned flags;
    ct_methods methods;             /* that use it; 0: all */
    size_t ability;                 /* that those methods have; 0: any */
    const char *fallback;           /* the default as a user would write it; NULL: what ct_default_*() says */
    const char *example;            /* NULL: the dimension's or kind's */
    const ct_option_info *option;   /* of one */
    void (*then)(void *definition); /* called after the key was decoded; NULL: nothing to do */
    union {
        const ct_word *words;
        ct_names names;
        const struct ct_section *section;
        const struct ct_variants *variants;
        const struct ct_named *named;
        const ct_parameter_info *parameter;
    };
} ct_key;

/* A mapping with known keys. They are decoded in this order, whatever the order in the file. */
typedef struct ct_section {
    const ct_key *keys; /* [count] */
    int count;
    /* Sets of keys, "min max", of which exactly one must be given; ends with NULL. */
    const char *const *choices;
    const char *bare; /* the key that a value stands for which is no mapping */
    /* What the table cannot say: computed fields, and checks across keys. Called when the keys are right. */
    void (*finish)(ct_decoder *decoder, const ct_yaml *node, void *definition);
} ct_section;

/* One type of a variant with its keys, the first of them `type`. */
enum { CT_MOST_VARIANT_KEYS = 32 };
typedef struct ct_variant {
    const char *name, *title, *doc;
    int value; /* in the definition's type field, where that is a number */
    bool is_later;
    ct_methods methods; /* that have it; 0: all */
    bool is_unbounded;  /* a shape that cannot be filled by itself */
    ct_key keys[CT_MOST_VARIANT_KEYS];
    ct_section section; /* of these keys */
} ct_variant;

/* What people call a type, and its name here: {"cube", "box"}. For hints. */
typedef struct ct_synonym {
    const char *said, *meant;
} ct_synonym;

typedef struct ct_variants {
    const char *what;                           /* "shape" */
    const char *preamble;                       /* for the reference page */
    bool (*at)(int index, ct_variant *variant); /* false past the end */
    size_t size;                                /* bytes of a definition */
    void (*set_default)(void *definition);
    size_t type_offset;
    bool type_is_name;          /* a const char *; otherwise an int */
    bool has_presets;           /* `preset: NAME` stands for keys: see presets.h */
    const ct_synonym *synonyms; /* of some of them, ends with {NULL}; NULL: there are none */
} ct_variants;

/* Named definitions: their variants, or their keys. */
typedef struct ct_named {
    const char *what; /* "body" */
    int most;
    size_t size;
    void (*set_default)(void *definition);
    size_t name_offset;   /* of a const char * */
    size_t method_offset; /* of a ct_method; 0: it has none of its own */
    const ct_variants *variants;
    const ct_section *section;
} ct_named;

/* Room for any definition that a section fills, to hold its defaults while they are printed. */
typedef union ct_any_def {
    ct_scene scene;
    ct_body_def body;
    ct_material_def material;
    ct_shape_def shape;
    ct_wall_def wall;
    ct_collider_def collider;
    ct_source_def source;
    ct_sink_def sink;
    ct_change_def change;
    ct_contact_pair_def pair;
    ct_joint_def joint;
    ct_force_def force;
} ct_any_def;

extern const ct_section ct_scene_keys; /* the whole language; its definition is a ct_scene */
extern const ct_variants ct_shape_variants, ct_material_variants, ct_scheme_variants, ct_wall_variants,
    ct_contact_variants, ct_force_variants;
extern const ct_named ct_colliders_named;

extern const ct_named ct_named_sources, ct_named_sinks, ct_named_changes; /* keys_flow.c */
extern const ct_section ct_peri_section, ct_fluid_section, ct_strands_section,
    ct_contact_section;                /* keys_method.c */
extern const ct_named ct_named_joints; /* keys_joints.c */
extern const ct_named ct_named_forces; /* keys_forces.c */
extern const ct_section ct_limits_section, ct_motion_section;
extern const ct_word ct_pattern_words[];

/* What stands beside keyframes; a key in the definition ct_track. */
extern const ct_key ct_interpolation_key;

/* The variant of that name; false: there is none. */
bool ct_variant_find(const ct_variants *variants, const char *name, ct_variant *variant);

/* The variant that a definition is. */
bool ct_variant_of(const ct_variants *variants, const void *definition, ct_variant *variant);

/* Makes `variant` with `type` as its only key; more are added. `are_choices`: the parameters are not required
 * one by one, the variant's choices say which go together. */
void ct_variant_begin(ct_variant *variant, const char *name, const char *title, const char *doc, int value);
void ct_variant_add(ct_variant *variant, const ct_key *keys, int count);
void ct_variant_add_parameters(ct_variant *variant, const ct_parameter_info *parameters, int count,
                               size_t offset, size_t count_offset, bool are_choices);

/* Makes the parameter that it names one of words. */
void ct_variant_add_option(ct_variant *variant, const ct_option_info *option);

/* Whether a key is one of the words in a choice such as "min max". */
bool ct_choice_has(const char *choice, const char *name);

/* "expects ..." what the key holds, with an example: "a length such as 2.5 cm". */
enum { CT_EXPECTED_SIZE = 240 };
void ct_key_expected(const ct_key *key, int dimension, char text[CT_EXPECTED_SIZE]);

/* The example of a key: its own, or the usual one of its kind. */
const char *ct_key_example(const ct_key *key);

/* Where the value of a key is in a definition. */
static inline void *ct_key_at(const ct_key *key, void *definition)
{
    return (char *)definition + key->offset;
}

static inline const void *ct_key_in(const ct_key *key, const void *definition)
{
    return (const char *)definition + key->offset;
}

/* Whether one of the methods uses the key. */
static inline bool ct_key_is_for(const ct_key *key, ct_methods methods)
{
    return ct_key_methods(key) & methods;
}

/* Vectors of a 2D scene have two components. */
static inline int ct_key_components(const ct_key *key, int dimension)
{
    if (key->flags & CT_SCALAR || (key->flags & CT_TURN && dimension == 2)) return 1;
    return key->flags & CT_ONLY_3D ? 3 : dimension;
}

/* The first component that is used. */
static inline int ct_key_component(const ct_key *key, int dimension)
{
    return key->flags & CT_TURN && dimension == 2 ? 2 : 0;
}

#endif
