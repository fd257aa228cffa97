#include "look/letters.h"

#include <string.h>

/* A letter is strokes with a blank between them, a stroke is points, a point is a column (0 to 9) and a row:
 * a b c d e f g h i j k l m n for -3 (the end of tails) over 0 (d, the baseline) and 6 (j, the top of small
 * letters) to 9 (m, the top of capitals) and 10. A row in capitals makes the point a control: the stroke
 * bends towards it, a parabola, and between two controls it passes through their middle. A stroke that begins
 * with a control is closed: "0D5D5J0J" is an o.
 */
typedef struct letter {
    const char *character; /* UTF-8 */
    const char *strokes;
} letter;

/* clang-format off */
static const letter LETTERS[] = {
    {" ", ""}, {"!", "0m0g 0d"}, {"\"", "0m0j 2m2j"}, {"#", "1d2m 4d5m 0g6g 0j6j"},
    {"$", "5k5M0M0I5I5D0D0f 2c2n"}, {"%", "0d6m 0J2J2M0M 4D6D6G4G"}, {"&", "6d1j1M4M4I0I0D4D6h"},
    {"'", "0m0j"}, {"(", "2m0K0D2b"}, {")", "0m2K2D0b"}, {"*", "2i2m 0j4l 0l4j"}, {"+", "0h6h 3e3k"},
    {",", "1d0b"}, {"-", "0h3h"}, {".", "0d"}, {"/", "0c4m"},
    {"0", "0D5D5M0M"}, {"1", "0k3m3d"}, {"2", "0k0M5M5I0d5d"}, {"3", "0k0M5M5I2i5I5D0D0f"},
    {"4", "4d4m0f5f"}, {"5", "5m0m0i2i5I5D1D0e"}, {"6", "4m0M0g 0D5D5I0I"}, {"7", "0m5m1d"},
    {"8", "0D5D5I0I 0I5I5M0M"}, {"9", "1d5D5j 0H5H5M0M"}, {":", "0d 0i"}, {";", "1i 1d0b"},
    {"<", "5e0h5k"}, {"=", "0f5f 0i5i"}, {">", "0e5h0k"}, {"?", "0k0M5M5I2h2g 2d"},
    {"@", "4i4f6F6h6M0M0D5d 2F4F4I2I"},
    {"A", "0d3m6d 1g5g"}, {"B", "0i3i5I5M3m0m0d3d6D6I3i"}, {"C", "6k6M0M0D6D6f"}, {"D", "0d0m2m6M6D2d0d"},
    {"E", "5m0m0d5d 0i4i"}, {"F", "5m0m0d 0i4i"}, {"G", "6k6M0M0D6D6h4h"}, {"H", "0d0m 6d6m 0i6i"},
    {"I", "0d0m"}, {"J", "4m4g4D0D0f"}, {"K", "0d0m 5m0g 2i5d"}, {"L", "0m0d5d"}, {"M", "0d0m3f6m6d"},
    {"N", "0d0m6d6m"}, {"O", "0D7D7M0M"}, {"P", "0d0m3m6M6H3h0h"}, {"Q", "0D7D7M0M 4f7c"},
    {"R", "0d0m3m6M6H3h0h 3h6d"}, {"S", "5k5M0M0I5I5D0D0f"}, {"T", "0m6m 3m3d"}, {"U", "0m0g0D6D6g6m"},
    {"V", "0m3d6m"}, {"W", "0m2d4l6d8m"}, {"X", "0d5m 0m5d"}, {"Y", "0m3h6m 3h3d"}, {"Z", "0m5m0d5d"},
    {"[", "2m0m0b2b"}, {"\\", "0m4c"}, {"]", "0m2m2b0b"}, {"^", "0j2m4j"}, {"_", "0c5c"}, {"`", "0m1k"},
    {"a", "5j5d 0D5D5J0J"}, {"b", "0m0d 0D5D5J0J"}, {"c", "5h5J0J0D5D5f"}, {"d", "5m5d 0D5D5J0J"},
    {"e", "0g5g5J0J0D4D5e"}, {"f", "3m1M1j1d 0j3j"}, {"g", "0D5D5J0J 5j5d5A1A0b"}, {"h", "0m0d 0g0J5J5g5d"},
    {"i", "0j0d 0l"}, {"j", "2j2c2A0a 2l"}, {"k", "0m0d 4j0f 1g4d"}, {"l", "0m0e0D1d"},
    {"m", "0j0d 0g0J4J4g4d 4g4J8J8g8d"}, {"n", "0j0d 0g0J5J5g5d"}, {"o", "0D5D5J0J"}, {"p", "0j0a 0D5D5J0J"},
    {"q", "5j5a 0D5D5J0J"}, {"r", "0j0d 0g0J3j"}, {"s", "4i4J0J0G4G4D0D0e"}, {"t", "1l1f1D3d 0j3j"},
    {"u", "0j0g0D5D5g 5j5d"}, {"v", "0j2d4j"}, {"w", "0j2d4i6d8j"}, {"x", "0d4j 0j4d"}, {"y", "0j2d 4j1a0a"},
    {"z", "0j4j0d4d"}, {"{", "3m1M1i0h1g1B3b"}, {"|", "0b0m"}, {"}", "0m2M2i3h2g2B0b"}, {"~", "0g1J3h5F6i"},
    {"²", "0l0N3N3K0i3i"}, {"³", "0m3M3K1k3K3I0i"}, {"°", "0J2J2M0M"}, {"µ", "0j0a 0g0D4D4g 4j4d"},
    {"·", "0h"}, {"×", "0e4i 0i4e"}, {"–", "0h5h"}, {"−", "0h5h"}, {"ρ", "0a0g0J5J5D0D0g"},
};
/* clang-format on */
static const letter BOX = {"", "0d5d5m0m0d"};

enum { LETTER_COUNT = sizeof LETTERS / sizeof LETTERS[0], BEND = 6 /* straight pieces of a parabola */ };

static const float UNIT = 0.08f;  /* of the size: nine of them are a capital's 0.72 */
static const float GAP = 2.4f;    /* units between letters */
static const float BLANK = 1.4f;  /* units that a blank is wide, before the gap */
enum { MOST_POINTS = 16 * BEND }; /* of a stroke */

/* Bytes of the character that a UTF-8 text begins with. */
static size_t character_length(const char *text)
{
    size_t length = 1;
    if ((unsigned char)text[0] < 0xc0) return length;
    while (length < 4 && ((unsigned char)text[length] & 0xc0) == 0x80) length++;
    return length;
}

static const letter *find(const char *text, size_t length)
{
    for (int k = 0; k < LETTER_COUNT; k++)
        if (strlen(LETTERS[k].character) == length && !memcmp(LETTERS[k].character, text, length))
            return &LETTERS[k];
    return &BOX;
}

bool ct_letters_has(const char *character)
{
    return find(character, character_length(character)) != &BOX;
}

static float width_of(const letter *form)
{
    float width = form->strokes[0] ? 0 : BLANK;
    for (const char *c = form->strokes; *c; c++)
        if (*c >= '0' && *c <= '9' && (float)(*c - '0') > width) width = (float)(*c - '0');
    return width + GAP;
}

float ct_letters_width(const char *text, float size)
{
    float units = 0;
    for (size_t length; *text; text += length) {
        length = character_length(text);
        units += width_of(find(text, length));
    }
    return units > 0 ? (units - GAP) * UNIT * size : 0;
}

/* ---- strokes ---- */

typedef struct corner {
    float at[2];
    bool is_control;
} corner;

typedef struct path {
    float points[MOST_POINTS][2];
    size_t count;
} path;

static int read_corners(const char *stroke, float left, float unit, corner corners[16])
{
    int count = 0;
    for (; *stroke && *stroke != ' ' && count < 15; stroke += 2, count++) {
        bool is_control = stroke[1] < 'a';
        float row = (float)(stroke[1] - (is_control ? 'A' : 'a')) - 3;
        corners[count] = (corner){{left + (float)(stroke[0] - '0') * unit, -row * unit}, is_control};
    }
    return count;
}

static void put(path *line, float x, float y)
{
    if (line->count < MOST_POINTS) line->points[line->count][0] = x, line->points[line->count++][1] = y;
}

/* From the last point to `to`, bent towards `control`: (1-s)^2 a + 2 s (1-s) c + s^2 b. */
static void bend(path *line, const float control[2], const float to[2])
{
    float from[2] = {line->points[line->count - 1][0], line->points[line->count - 1][1]};
    for (int k = 1; k <= BEND; k++) {
        float s = (float)k / BEND, a = (1 - s) * (1 - s), b = 2 * s * (1 - s), c = s * s;
        put(line, a * from[0] + b * control[0] + c * to[0], a * from[1] + b * control[1] + c * to[1]);
    }
}

static void middle(const corner *a, const corner *b, float at[2])
{
    for (int k = 0; k < 2; k++) at[k] = 0.5f * (a->at[k] + b->at[k]);
}

static void trace(corner corners[16], int count, path *line)
{
    float at[2];
    bool is_closed = corners[0].is_control;
    line->count = 0;
    if (is_closed) middle(&corners[count - 1], &corners[0], at);
    else memcpy(at, corners[0].at, sizeof at);
    put(line, at[0], at[1]);
    if (is_closed) corners[count++] = (corner){{at[0], at[1]}, false};
    for (int k = is_closed ? 0 : 1; k < count; k++) {
        if (!corners[k].is_control) {
            put(line, corners[k].at[0], corners[k].at[1]);
            continue;
        }
        bool is_last = k + 1 == count; /* not in our table: a stroke ends on a point */
        if (is_last) break;
        if (corners[k + 1].is_control) middle(&corners[k], &corners[k + 1], at);
        else memcpy(at, corners[k + 1].at, sizeof at);
        bend(line, corners[k].at, at);
        if (!corners[k + 1].is_control) k++;
    }
}

void ct_letters_strokes(const char *text, float size, ct_stroke_taker take, void *context)
{
    float left = 0, unit = UNIT * size;
    for (size_t length; *text; text += length) {
        length = character_length(text);
        const letter *form = find(text, length);
        for (const char *stroke = form->strokes; *stroke; stroke += strspn(stroke, " ")) {
            corner corners[16];
            path line;
            trace(corners, read_corners(stroke, left, unit, corners), &line);
            take(context, line.points, line.count);
            stroke += strcspn(stroke, " ");
        }
        left += width_of(form) * unit;
    }
}
