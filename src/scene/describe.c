/* What a key holds, in words: for messages and for the reference page. */
#include "scene/keys.h"

#include "scene/units.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef void expect_function(const ct_key *key, int dimension, char text[CT_EXPECTED_SIZE]);
static expect_function expect_plain, expect_quantity, expect_numbers, expect_word, expect_words, expect_name,
    expect_names, expect_variant, expect_list, expect_option;

/* How a kind is described; what it is called and its usual example, where these do not depend on the key. */
static const struct {
    expect_function *expect;
    const char *name, *example;
} kinds[CT_KINDS] = {
    [CT_KEY_BOOL] = {expect_plain, "true or false", ""},
    [CT_KEY_INTEGER] = {expect_plain, "a whole number", "8"},
    [CT_KEY_SEED] = {expect_plain, "a whole number of 0 or more", "7"},
    [CT_KEY_QUANTITY] = {expect_quantity, NULL, NULL},
    [CT_KEY_SCALE] = {expect_plain, "a number or a vector", "0.5"},
    [CT_KEY_VECTOR] = {expect_numbers, "a vector", NULL},
    [CT_KEY_VECTORS] = {expect_plain, "a list of vectors", "[[0, 0, 0], [1, 0, 0]]"},
    [CT_KEY_MATRIX] = {expect_numbers, "a matrix", NULL},
    [CT_KEY_TRACK] = {expect_numbers, "a vector or keyframes", NULL},
    [CT_KEY_TEXT] = {expect_plain, "a text", "text"},
    [CT_KEY_FILE] = {expect_plain, "the name of a file", "file.obj"},
    [CT_KEY_COLOR] = {expect_plain, "a colour in quotes", "\"#c04030\""},
    [CT_KEY_WORD] = {expect_word, NULL, NULL},
    [CT_KEY_WORDS] = {expect_words, NULL, NULL},
    [CT_KEY_NAME] = {expect_name, NULL, NULL},
    [CT_KEY_INDEX] = {expect_name, NULL, NULL},
    [CT_KEY_NAMES] = {expect_names, NULL, NULL},
    [CT_KEY_MATERIAL] = {expect_plain, "the name of a material", "rubber"},
    [CT_KEY_BODIES] = {expect_plain, "a list of names of bodies", "[ball]"},
    [CT_KEY_PARAMETER] = {expect_quantity, NULL, NULL},
    [CT_KEY_OPTION] = {expect_option, NULL, NULL},
    [CT_KEY_TYPE] = {expect_plain, "a name", ""},
    [CT_KEY_SECTION] = {expect_plain, "a mapping", "{}"},
    [CT_KEY_VARIANT] = {expect_variant, NULL, NULL},
    [CT_KEY_LIST] = {expect_list, NULL, NULL},
    [CT_KEY_NAMED] = {expect_plain, "a mapping from names", "{}"},
    [CT_KEY_LATER] = {expect_plain, "nothing in this version", ""},
};

const char *ct_key_example(const ct_key *key)
{
    if (key->example) return key->example;
    if (key->fallback) return key->fallback;
    if (kinds[key->kind].expect == expect_quantity) return ct_dimension_example(key->dimension);
    return kinds[key->kind].example ? kinds[key->kind].example : "";
}

void ct_key_expected(const ct_key *key, int dimension, char text[CT_EXPECTED_SIZE])
{
    kinds[key->kind].expect(key, dimension, text);
}

static void expect_plain(const ct_key *key, int dimension, char *text)
{
    (void)dimension;
    const char *example = ct_key_example(key);
    if (key->kind == CT_KEY_SECTION && key->section->bare) /* a value may stand for the mapping */
        snprintf(text, CT_EXPECTED_SIZE, "a vector or a mapping such as %s", example);
    else snprintf(text, CT_EXPECTED_SIZE, *example ? "%s such as %s" : "%s", kinds[key->kind].name, example);
}

/* Of a parameter without an example of its own: its default, or the end of its range, where the usual example of
 * its kind would say little or be refused. */
static void expect_quantity(const ct_key *key, int dimension, char *text)
{
    (void)dimension;
    char example[CT_QUANTITY_SIZE], reason[CT_REASON_SIZE];
    double usual = 0,
           fallback = key->parameter && key->kind == CT_KEY_PARAMETER ? key->parameter->fallback : 0;
    snprintf(example, sizeof example, "%s", ct_key_example(key));
    bool is_bounded = key->least != 0 || key->most != 0;
    bool is_read = ct_quantity_read(example, NULL, key->dimension, &usual, reason);
    bool is_own = key->example || key->fallback;
    if (key->dimension == CT_SWITCH) {
        snprintf(text, CT_EXPECTED_SIZE, "%s", ct_dimension_name(key->dimension));
        return;
    }
    if (!is_own && key->kind == CT_KEY_PARAMETER) {
        if (key->dimension == CT_ANGLE && isfinite(fallback) && fallback != 0)
            snprintf(example, sizeof example, "%.4g deg", fallback * 180 / acos(-1));
        else if (isfinite(fallback) && fallback != 0) ct_quantity_print(fallback, key->dimension, example);
        else if (is_read && is_bounded && (usual < key->least || usual > key->most))
            ct_quantity_print(isfinite(key->most) ? key->most : key->least, key->dimension, example);
    }
    snprintf(text, CT_EXPECTED_SIZE, "%s such as %s", ct_dimension_name(key->dimension), example);
}

/* A vector or matrix: in 2D the examples of the table, which are for 3D, would mislead. */
static void expect_numbers(const ct_key *key, int dimension, char *text)
{
    static const char *const examples[2][2] = {
        {"[0, 1]", "[0, 1, 0]"},
        {"[[1, 0], [0, 1]]", "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]"},
    };
    int components = ct_key_components(key, dimension);
    bool is_matrix = key->kind == CT_KEY_MATRIX;
    if (components == 1) {
        snprintf(text, CT_EXPECTED_SIZE, "%s or keyframes such as %s", ct_dimension_name(key->dimension),
                 dimension == 2 && key->flags & CT_TURN ? "[[0 s, 0], [1 s, 90 deg]]" : key->example);
        return;
    }
    const char *example = examples[is_matrix][components == 3];
    if (components == 3 && key->example) example = key->example;
    snprintf(text, CT_EXPECTED_SIZE, "%s of %d %s such as %s", kinds[key->kind].name, components,
             is_matrix ? "rows" : "components", example);
}

static void list_words(const ct_key *key, const char *begin, char *text)
{
    size_t used = (size_t)snprintf(text, CT_EXPECTED_SIZE, "%s", begin);
    int count = 0;
    for (const ct_word *word = key->words; word->name && used < CT_EXPECTED_SIZE; word++)
        if (word->value != CT_WORD_LATER)
            used += (size_t)snprintf(text + used, CT_EXPECTED_SIZE - used, "%s%s", count++ ? ", " : "",
                                     word->name);
}

static void expect_word(const ct_key *key, int dimension, char *text)
{
    (void)dimension;
    list_words(key, "one of ", text);
}

static void expect_words(const ct_key *key, int dimension, char *text)
{
    (void)dimension;
    list_words(key, "a list of ", text);
}

static void expect_option(const ct_key *key, int dimension, char *text)
{
    (void)dimension;
    size_t used = (size_t)snprintf(text, CT_EXPECTED_SIZE, "one of ");
    for (const char *const *word = key->option->words; *word && used < CT_EXPECTED_SIZE; word++)
        used += (size_t)snprintf(text + used, CT_EXPECTED_SIZE - used, "%s%s",
                                 word == key->option->words ? "" : ", ", *word);
}

static void list_names(const ct_key *key, const char *begin, char *text)
{
    size_t used = (size_t)snprintf(text, CT_EXPECTED_SIZE, "%s", begin);
    const char *name, *doc;
    for (int i = 0; (name = key->names(i, &doc)) && used < CT_EXPECTED_SIZE; i++)
        used += (size_t)snprintf(text + used, CT_EXPECTED_SIZE - used, "%s%s", i ? ", " : "", name);
}

static void expect_name(const ct_key *key, int dimension, char *text)
{
    (void)dimension;
    list_names(key, "one of ", text);
}

static void expect_names(const ct_key *key, int dimension, char *text)
{
    (void)dimension;
    list_names(key, "a list of ", text);
}

static void expect_variant(const ct_key *key, int dimension, char *text)
{
    (void)dimension;
    snprintf(text, CT_EXPECTED_SIZE, "a %s such as %s", key->variants->what, ct_key_example(key));
}

static void expect_list(const ct_key *key, int dimension, char *text)
{
    (void)dimension;
    snprintf(text, CT_EXPECTED_SIZE, "a list of %ss such as %s", key->variants->what, ct_key_example(key));
}
