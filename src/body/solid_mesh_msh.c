/* Gmsh's .msh, versions 2.2 and 4.1. Sections between $Name and $EndName; their numbers are words of text or,
 * in binary files, integers and doubles. One function reads either, so both take the same way through:
 *
 *     $MeshFormat      version, text or binary, size of a size_t
 *     $PhysicalNames   dimension, tag, "name"
 *     $Entities        4.1: which physical groups points, curves, surfaces and volumes belong to
 *     $Nodes           2.2: tag x y z; 4.1: blocks of tags, then blocks of places
 *     $Elements        2.2: with their groups; 4.1: blocks of one entity
 *
 * Other sections are skipped. A group without a name gets its tag for one.
 */
#include "body/solid_mesh_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PHYSICALS = 1024 };

typedef struct physical {
    int dimension;
    int64_t tag;
    uint32_t group;
} physical;

/* Which physical group an entity is in: its first. */
typedef struct entity {
    int dimension;
    int64_t tag, physical;
} entity;

typedef struct msh_file {
    ct_solid_builder *builder;
    ct_scan *scan;
    ct_heap *heap;
    bool is_binary, is_big_endian, has_format;
    int version; /* 2 or 4 */
    physical physicals[MOST_PHYSICALS];
    int physical_count;
    entity *entities;
    size_t entity_count, entity_capacity;
} msh_file;

static const struct {
    int type, dimension, nodes;
    const char *name;
} kinds[] = {
    {15, 0, 1, "point"},
    {1, 1, 2, "line"},
    {2, 2, 3, "triangle"},
    {4, 3, 4, "tetrahedron"},
    {3, 2, 4, "quadrilateral"},
    {5, 3, 8, "hexahedron"},
    {6, 3, 6, "prism"},
    {7, 3, 5, "pyramid"},
    {8, 1, 3, "line of second order"},
    {9, 2, 6, "triangle of second order"},
    {11, 3, 10, "tetrahedron of second order"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0], MOST_NODES = 10 };

/* ---- Numbers ------------------------------------------------------------------------------------------ */

/* The next number: a word, or `type` in binary. */
static ct_status read_number(msh_file *msh, ct_binary_type type, double *number, ct_error *error)
{
    ct_scan *scan = msh->scan;
    if (msh->is_binary) {
        size_t size = ct_binary_size(type);
        if ((size_t)(scan->end - scan->at) < size) return ct_scan_fail(scan, error, "the file ends early");
        *number = ct_binary_decode(type, scan->at, msh->is_big_endian);
        scan->at += size;
        return CT_OK;
    }
    ct_slice word;
    if (!ct_scan_word(scan, &word)) return ct_scan_fail(scan, error, "the file ends early");
    if (ct_slice_number(word, number)) return CT_OK;
    return ct_scan_fail(scan, error, "'%.*s' is not a number", ct_slice_width(word), word.at);
}

static ct_status read_integer(msh_file *msh, ct_binary_type type, int64_t *integer, ct_error *error)
{
    double number;
    ct_status status = read_number(msh, type, &number, error);
    if (status) return status;
    if (!(fabs(number) < 9e15 && number == floor(number)))
        return ct_scan_fail(msh->scan, error, "%g is no whole number", number);
    *integer = (int64_t)number;
    return CT_OK;
}

/* Something that is counted; every one of them takes at least a byte. */
static ct_status read_count(msh_file *msh, ct_binary_type type, uint64_t *count, ct_error *error)
{
    int64_t integer = 0;
    ct_status status = read_integer(msh, type, &integer, error);
    if (status) return status;
    if (integer < 0 || integer > msh->scan->end - msh->scan->at)
        return ct_scan_fail(msh->scan, error, "there cannot be %lld of them in the rest of the file",
                            (long long)integer);
    *count = (uint64_t)integer;
    return CT_OK;
}

static ct_status skip_numbers(msh_file *msh, ct_binary_type type, uint64_t count, ct_error *error)
{
    double number;
    ct_status status = CT_OK;
    for (uint64_t i = 0; i < count && !status; i++) status = read_number(msh, type, &number, error);
    return status;
}

/* ---- Groups ------------------------------------------------------------------------------------------- */

/* The group of a physical tag; 0 is none. */
static ct_status find_group(msh_file *msh, int dimension, int64_t tag, uint32_t *group, ct_error *error)
{
    *group = CT_NO_GROUP;
    if (tag == 0) return CT_OK;
    for (int p = 0; p < msh->physical_count; p++)
        if (msh->physicals[p].dimension == dimension && msh->physicals[p].tag == tag)
            return *group = msh->physicals[p].group, CT_OK;
    if (msh->physical_count == MOST_PHYSICALS)
        return ct_scan_fail(msh->scan, error, "more than %d physical groups", MOST_PHYSICALS);
    char name[CT_GROUP_NAME];
    snprintf(name, sizeof name, "%lld", (long long)tag);
    ct_status status = ct_solid_builder_group(msh->builder, name, group, error);
    if (!status) msh->physicals[msh->physical_count++] = (physical){dimension, tag, *group};
    return status;
}

/* Text in binary files, too: dimension tag "name" */
static ct_status read_names(msh_file *msh, ct_error *error)
{
    bool is_binary = msh->is_binary;
    uint64_t count = 0;
    msh->is_binary = false;
    ct_status status = read_count(msh, CT_INT32, &count, error);
    for (uint64_t i = 0; i < count && !status; i++) {
        int64_t dimension = 0, tag = 0;
        ct_slice rest;
        status = read_integer(msh, CT_INT32, &dimension, error);
        if (!status) status = read_integer(msh, CT_INT32, &tag, error);
        if (status) break;
        const char *end = memchr(msh->scan->at, '\n', (size_t)(msh->scan->end - msh->scan->at));
        rest = (ct_slice){msh->scan->at, (size_t)((end ? end : msh->scan->end) - msh->scan->at)};
        const char *open = memchr(rest.at, '"', rest.length);
        size_t left = open ? rest.length - (size_t)(open + 1 - rest.at) : 0;
        const char *close = open ? memchr(open + 1, '"', left) : NULL;
        if (!close || dimension < 0 || dimension > 3 || msh->physical_count == MOST_PHYSICALS) {
            status = ct_scan_fail(msh->scan, error, "a physical name must be: dimension tag \"name\"");
            break;
        }
        char name[CT_GROUP_NAME];
        uint32_t group;
        ct_slice_copy((ct_slice){open + 1, (size_t)(close - open - 1)}, name, sizeof name);
        status = ct_solid_builder_group(msh->builder, name, &group, error);
        if (!status) msh->physicals[msh->physical_count++] = (physical){(int)dimension, tag, group};
        msh->scan->at = close + 1;
    }
    msh->is_binary = is_binary;
    return status;
}

static ct_status read_entity(msh_file *msh, int dimension, ct_error *error)
{
    entity this_entity = {.dimension = dimension};
    uint64_t count = 0;
    ct_status status = read_integer(msh, CT_INT32, &this_entity.tag, error);
    if (!status) status = skip_numbers(msh, CT_FLOAT64, dimension ? 6 : 3, error); /* its box */
    if (!status) status = read_count(msh, CT_UINT64, &count, error);
    if (!status && count) status = read_integer(msh, CT_INT32, &this_entity.physical, error);
    if (!status && count) status = skip_numbers(msh, CT_INT32, count - 1, error);
    if (!status && dimension) status = read_count(msh, CT_UINT64, &count, error);
    if (!status && dimension) status = skip_numbers(msh, CT_INT32, count, error); /* its border */
    if (status || !this_entity.physical) return status;
    status = ct_array_grow(msh->heap, &msh->entities, msh->entity_count, &msh->entity_capacity,
                           msh->entity_count + 1, sizeof *msh->entities, error);
    if (!status) msh->entities[msh->entity_count++] = this_entity;
    return status;
}

static ct_status read_entities(msh_file *msh, ct_error *error)
{
    uint64_t counts[4] = {0};
    ct_status status = CT_OK;
    for (int d = 0; d < 4 && !status; d++) status = read_count(msh, CT_UINT64, &counts[d], error);
    for (int d = 0; d < 4; d++)
        for (uint64_t i = 0; i < counts[d] && !status; i++) status = read_entity(msh, d, error);
    return status;
}

/* ---- Nodes -------------------------------------------------------------------------------------------- */

static ct_status read_place(msh_file *msh, uint64_t tag, ct_error *error)
{
    double place[3];
    ct_status status = CT_OK;
    for (int a = 0; a < 3 && !status; a++) status = read_number(msh, CT_FLOAT64, &place[a], error);
    return status ? status : ct_solid_builder_vertex(msh->builder, tag, place, error);
}

static ct_status read_nodes_2(msh_file *msh, ct_error *error)
{
    bool is_binary = msh->is_binary;
    uint64_t count = 0;
    msh->is_binary = false; /* the count is text, with a line of its own */
    ct_status status = read_count(msh, CT_INT32, &count, error);
    msh->is_binary = is_binary;
    if (is_binary && msh->scan->at < msh->scan->end) msh->scan->at++;
    if (!status) status = ct_solid_builder_begin(msh->builder, count, error);
    for (uint64_t i = 0; i < count && !status; i++) {
        int64_t tag = 0;
        status = read_integer(msh, CT_INT32, &tag, error);
        if (!status) status = read_place(msh, (uint64_t)tag, error);
    }
    return status;
}

/* The tags of a block come first, then the places. */
static ct_status read_node_block(msh_file *msh, ct_error *error)
{
    int64_t header[3]; /* dimension, tag, parametric */
    uint64_t count = 0;
    ct_status status = CT_OK;
    for (int i = 0; i < 3 && !status; i++) status = read_integer(msh, CT_INT32, &header[i], error);
    if (!status) status = read_count(msh, CT_UINT64, &count, error);
    if (status) return status;
    int64_t *tags = ct_allocate(msh->heap, (size_t)count * sizeof *tags);
    if (!tags) return ct_fail_memory(error, (size_t)count * sizeof *tags);
    for (uint64_t i = 0; i < count && !status; i++) status = read_integer(msh, CT_UINT64, &tags[i], error);
    bool has_parameters = !status && header[2] && header[0] > 0 && header[0] <= 3;
    for (uint64_t i = 0; i < count && !status; i++) {
        status = read_place(msh, (uint64_t)tags[i], error);
        if (!status && has_parameters) status = skip_numbers(msh, CT_FLOAT64, (uint64_t)header[0], error);
    }
    ct_release(msh->heap, tags);
    return status;
}

static ct_status read_nodes_4(msh_file *msh, ct_error *error)
{
    uint64_t blocks = 0, count = 0;
    ct_status status = read_count(msh, CT_UINT64, &blocks, error);
    if (!status) status = read_count(msh, CT_UINT64, &count, error);
    if (!status) status = skip_numbers(msh, CT_UINT64, 2, error); /* the smallest and the largest tag */
    if (!status) status = ct_solid_builder_begin(msh->builder, count, error);
    for (uint64_t b = 0; b < blocks && !status; b++) status = read_node_block(msh, error);
    return status;
}

/* ---- Elements ----------------------------------------------------------------------------------------- */

static ct_status find_kind(msh_file *msh, int64_t type, int *kind, ct_error *error)
{
    for (*kind = 0; *kind < KINDS; ++*kind)
        if (kinds[*kind].type == type) break;
    if (*kind == KINDS)
        return ct_scan_fail(msh->scan, error, "elements of the type %lld are not read", (long long)type);
    int d = msh->builder->mesh->dimension;
    bool is_simplex = kinds[*kind].nodes == kinds[*kind].dimension + 1;
    if (kinds[*kind].dimension > d || (kinds[*kind].dimension == d && !is_simplex))
        return ct_scan_fail(msh->scan, error,
                            "a %s is no element of a mesh in %dD: only %s of first order are",
                            kinds[*kind].name, d, d == 3 ? "tetrahedra" : "triangles");
    return CT_OK;
}

static ct_status read_corners(msh_file *msh, int kind, uint32_t group, ct_binary_type type, ct_error *error)
{
    uint64_t corners[MOST_NODES];
    ct_status status = CT_OK;
    for (int c = 0; c < kinds[kind].nodes && !status; c++) {
        int64_t tag = 0;
        status = read_integer(msh, type, &tag, error);
        corners[c] = (uint64_t)tag;
    }
    if (status) return status;
    int simplex = kinds[kind].dimension + 1; /* of second order: its corners come first */
    int count = kinds[kind].nodes < simplex ? kinds[kind].nodes : simplex;
    return ct_solid_builder_element(msh->builder, corners, count, group, error);
}

/* One element of 2.2 behind its tag: its groups, the first of which is the physical one, and its corners. */
static ct_status read_tagged(msh_file *msh, int64_t type, int64_t groups, ct_error *error)
{
    int kind = 0;
    uint32_t group = CT_NO_GROUP;
    int64_t physical_tag = 0;
    ct_status status = find_kind(msh, type, &kind, error);
    if (!status && (groups < 0 || groups > 1000))
        status = ct_scan_fail(msh->scan, error, "an element cannot have %lld tags", (long long)groups);
    if (!status && groups) status = read_integer(msh, CT_INT32, &physical_tag, error);
    if (!status && groups) status = skip_numbers(msh, CT_INT32, (uint64_t)groups - 1, error);
    if (!status) status = find_group(msh, kinds[kind].dimension, physical_tag, &group, error);
    return status ? status : read_corners(msh, kind, group, CT_INT32, error);
}

static ct_status read_elements_2(msh_file *msh, ct_error *error)
{
    bool is_binary = msh->is_binary;
    uint64_t count = 0;
    msh->is_binary = false;
    ct_status status = read_count(msh, CT_INT32, &count, error);
    msh->is_binary = is_binary;
    if (is_binary && msh->scan->at < msh->scan->end) msh->scan->at++;
    for (uint64_t done = 0; done < count && !status;) {
        int64_t tag, header[3] = {0}; /* type, in binary files how many of it, and how many groups each has */
        uint64_t block = 1;
        if (!is_binary) status = read_integer(msh, CT_INT32, &tag, error);
        if (!status) status = read_integer(msh, CT_INT32, &header[0], error);
        if (!status && is_binary) status = read_count(msh, CT_INT32, &block, error);
        if (!status) status = read_integer(msh, CT_INT32, &header[2], error);
        if (!status && !block) status = ct_scan_fail(msh->scan, error, "a block of no elements");
        for (uint64_t i = 0; i < block && !status; i++, done++) {
            if (is_binary) status = read_integer(msh, CT_INT32, &tag, error);
            if (!status) status = read_tagged(msh, header[0], header[2], error);
        }
    }
    return status;
}

static ct_status read_element_block(msh_file *msh, ct_error *error)
{
    int64_t header[3], tag; /* dimension and tag of the entity, type */
    uint64_t count = 0;
    int kind = 0;
    uint32_t group = CT_NO_GROUP;
    ct_status status = CT_OK;
    for (int i = 0; i < 3 && !status; i++) status = read_integer(msh, CT_INT32, &header[i], error);
    if (!status) status = read_count(msh, CT_UINT64, &count, error);
    if (!status) status = find_kind(msh, header[2], &kind, error);
    for (size_t e = 0; e < msh->entity_count && !status; e++)
        if (msh->entities[e].dimension == header[0] && msh->entities[e].tag == header[1])
            status = find_group(msh, (int)header[0], llabs(msh->entities[e].physical), &group, error);
    for (uint64_t i = 0; i < count && !status; i++) {
        status = read_integer(msh, CT_UINT64, &tag, error);
        if (!status) status = read_corners(msh, kind, group, CT_UINT64, error);
    }
    return status;
}

static ct_status read_elements_4(msh_file *msh, ct_error *error)
{
    uint64_t blocks = 0;
    ct_status status = read_count(msh, CT_UINT64, &blocks, error);
    if (!status) status = skip_numbers(msh, CT_UINT64, 3, error); /* elements, smallest and largest tag */
    for (uint64_t b = 0; b < blocks && !status; b++) status = read_element_block(msh, error);
    return status;
}

/* ---- Sections ----------------------------------------------------------------------------------------- */

static ct_status read_format(msh_file *msh, ct_error *error)
{
    double version = 0;
    int64_t binary = 0, size = 0;
    ct_status status = read_number(msh, CT_FLOAT64, &version, error);
    if (!status) status = read_integer(msh, CT_INT32, &binary, error);
    if (!status) status = read_integer(msh, CT_INT32, &size, error);
    if (status) return status;
    if (version != 2.2 && version != 2.1 && version != 2 && version != 4.1)
        return ct_scan_fail(msh->scan, error,
                            "version %g of the format is not read; write 4.1 or 2.2 (gmsh -format msh41)",
                            version);
    msh->version = version < 3 ? 2 : 4;
    msh->has_format = true;
    if (!binary) return CT_OK;
    if (size != 8)
        return ct_scan_fail(msh->scan, error, "numbers of %lld bytes are not read", (long long)size);
    ct_slice line;
    ct_scan_line(msh->scan, &line); /* the rest of this one */
    msh->is_binary = msh->scan->is_binary = true;
    double one = 0;
    status = read_number(msh, CT_INT32, &one, error);
    msh->is_big_endian = one != 1;
    return status;
}

typedef ct_status section_reader(msh_file *msh, ct_error *error);
static const struct {
    const char *name;
    section_reader *read[2]; /* of versions 2 and 4; NULL: skipped */
} sections[] = {
    {"$MeshFormat", {read_format, read_format}},
    {"$PhysicalNames", {read_names, read_names}},
    {"$Entities", {NULL, read_entities}},
    {"$Nodes", {read_nodes_2, read_nodes_4}},
    {"$Elements", {read_elements_2, read_elements_4}},
};

/* Reads a section if it is known, and goes to its end. */
static ct_status read_section(msh_file *msh, ct_slice name, ct_error *error)
{
    ct_scan *scan = msh->scan;
    for (size_t s = 0; s < sizeof sections / sizeof sections[0]; s++) {
        if (!ct_slice_is(name, sections[s].name)) continue;
        if (s && !msh->has_format) return ct_scan_fail(scan, error, "the file must begin with $MeshFormat");
        section_reader *read = sections[s].read[msh->version == 4];
        if (msh->is_binary && scan->at < scan->end) scan->at++; /* numbers begin behind the end of the line */
        ct_status status = read ? read(msh, error) : CT_OK;
        if (status) return status;
    }
    char end[80] = "$End";
    ct_slice_copy((ct_slice){name.at + 1, name.length - 1}, end + 4, sizeof end - 4);
    const char *found = memmem(scan->at, (size_t)(scan->end - scan->at), end, strlen(end));
    if (!found) return ct_scan_fail(scan, error, "there is no %s", end);
    for (; scan->at < found + strlen(end); scan->at++) scan->line += *scan->at == '\n';
    return CT_OK;
}

ct_status ct_solid_mesh_read_msh(ct_solid_builder *builder, ct_error *error)
{
    msh_file *msh = ct_allocate_zero(builder->mesh->heap, sizeof *msh);
    if (!msh) return ct_fail_memory(error, sizeof *msh);
    msh->builder = builder, msh->scan = builder->scan, msh->heap = builder->mesh->heap;
    ct_slice word;
    ct_status status = CT_OK;
    while (!status && ct_scan_word(msh->scan, &word)) {
        if (word.at[0] == '$') status = read_section(msh, word, error);
        else
            status = ct_scan_fail(msh->scan, error, "'%.*s' is no beginning of a section",
                                  ct_slice_width(word), word.at);
    }
    if (!status && !msh->has_format) status = ct_scan_fail(msh->scan, error, "there is no $MeshFormat");
    ct_release(msh->heap, msh->entities);
    ct_release(msh->heap, msh);
    return status;
}
