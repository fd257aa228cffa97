/* The levels: which cells there are, and how they are linked. */
#include "fluid/poisson.h"

#include <string.h>

enum {
    GRAIN = 2048, /* unknowns per piece of a loop */
    FEW = 24      /* unknowns of the coarsest level */
};

static ct_status reserve_level(ct_poisson *p, ct_poisson_level *l, size_t count, ct_error *error)
{
    const size_t faces = 2 * (size_t)p->dimension, children = (size_t)1 << p->dimension;
    if (count <= l->room) return CT_OK;
    size_t room = count + count / 4 + 64;
    struct {
        void **array;
        size_t bytes;
    } wanted[] = {{(void **)&l->at, sizeof *l->at},
                  {(void **)&l->next, faces * sizeof *l->next},
                  {(void **)&l->link, faces * sizeof *l->link},
                  {(void **)&l->air, sizeof *l->air},
                  {(void **)&l->inverse, sizeof *l->inverse},
                  {(void **)&l->is_plain, sizeof *l->is_plain},
                  {(void **)&l->x, sizeof *l->x},
                  {(void **)&l->b, sizeof *l->b},
                  {(void **)&l->r, sizeof *l->r},
                  {(void **)&l->parent, sizeof *l->parent},
                  {(void **)&l->child, children * sizeof *l->child},
                  {(void **)&l->band, sizeof *l->band}};
    l->room = 0;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        ct_release(p->heap, *wanted[k].array);
        *wanted[k].array = ct_allocate_zero(p->heap, room * wanted[k].bytes); /* 0 times x of none is 0 */
        if (!*wanted[k].array) return ct_fail_memory(error, room * wanted[k].bytes);
    }
    l->room = room;
    return CT_OK;
}

ct_status ct_poisson_reserve(ct_poisson *p, size_t count, ct_error *error)
{
    ct_status status = reserve_level(p, &p->level[0], count, error);
    const struct {
        void **array;
        size_t bytes;
    } wanted[] = {
        {(void **)&p->solution, sizeof *p->solution}, {(void **)&p->direction, sizeof *p->direction},
        {(void **)&p->image, sizeof *p->image},       {(void **)&p->label, sizeof *p->label},
        {(void **)&p->tree, sizeof *p->tree},         {(void **)&p->mark, sizeof *p->mark}};
    if (status || count <= p->room) return status;
    size_t room = p->level[0].room;
    p->room = 0;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        ct_release(p->heap, *wanted[k].array);
        *wanted[k].array = ct_allocate(p->heap, room * wanted[k].bytes);
        if (!*wanted[k].array) return ct_fail_memory(error, room * wanted[k].bytes);
    }
    p->room = room;
    return CT_OK;
}

/* ---- Coarse cells ------------------------------------------------------------------------------------- */

enum { PATCH = 64 }; /* coarse cells: 4^3, in 2D 4^2 of them */

/* 19 bits of each coordinate: patches that are half a million apart would be taken for one, which costs
 * iterations and nothing else. */
static uint64_t key_of(const int32_t at[3])
{
    uint64_t key = 0;
    for (int a = 0; a < 3; a++) key = key << 19 | ((uint64_t)(uint32_t)(at[a] >> 3) & 0x7ffff);
    return key + 1; /* 0 is an empty slot */
}

static size_t slot_of(const ct_poisson *p, uint64_t key)
{
    size_t slot = (size_t)((key * 0x9e3779b97f4a7c15ULL) >> 20) & (p->slots - 1);
    while (p->key[slot] && p->key[slot] != key) slot = (slot + 1) & (p->slots - 1);
    return slot;
}

/* A table of patches, at most half full. */
static ct_status grow_table(ct_poisson *p, ct_error *error)
{
    const size_t slots = p->slots ? 2 * p->slots : 1024, had = p->slots;
    uint64_t *key = p->key;
    uint32_t *id = p->id;
    p->key = ct_allocate_zero(p->heap, slots * sizeof *p->key);
    p->id = ct_allocate(p->heap, slots * sizeof *p->id);
    p->slots = p->key && p->id ? slots : 0;
    for (size_t k = 0; k < had && p->slots; k++) {
        if (!key[k]) continue;
        const size_t slot = slot_of(p, key[k]);
        p->key[slot] = key[k], p->id[slot] = id[k];
    }
    ct_release(p->heap, key);
    ct_release(p->heap, id);
    return p->slots ? CT_OK : ct_fail_memory(error, slots * sizeof *p->key);
}

static ct_status find_patch(ct_poisson *p, uint64_t key, size_t *patch, ct_error *error)
{
    ct_status status = 2 * p->patches >= p->slots ? grow_table(p, error) : CT_OK;
    if (status) return status;
    const size_t slot = slot_of(p, key);
    if (!p->key[slot]) {
        status = ct_array_grow(p->heap, &p->patch, p->patches * PATCH, &p->patch_room,
                               (p->patches + 1) * PATCH, sizeof *p->patch, error);
        if (status) return status;
        p->key[slot] = key;
        p->id[slot] = (uint32_t)p->patches;
        memset(p->patch + p->patches++ * PATCH, 0xff, PATCH * sizeof *p->patch);
    }
    *patch = p->id[slot];
    return CT_OK;
}

static bool is_red(const int32_t at[3])
{
    return !((at[0] + at[1] + at[2]) & 1);
}

/* Numbers coarse cells as their first children come, then red ones before black ones; parent[] follows. Cells come
 * block by block, so that the patch is nearly always that of the cell before. */
static ct_status number_coarse(ct_poisson *p, ct_poisson_level *fine, ct_poisson_level *coarse,
                               ct_error *error)
{
    uint32_t count = 0, *number = coarse->band;
    size_t reds = 0, patch = 0;
    uint64_t last = 0;
    p->patches = 0;
    if (p->slots) memset(p->key, 0, p->slots * sizeof *p->key);
    for (size_t i = 0; i < fine->count; i++) {
        const int32_t at[3] = {fine->at[i][0] >> 1, fine->at[i][1] >> 1, fine->at[i][2] >> 1};
        const uint64_t key = key_of(fine->at[i]);
        ct_status status = key == last ? CT_OK : find_patch(p, key, &patch, error);
        if (status) return status;
        last = key;
        uint32_t *id = p->patch + patch * PATCH + ((at[0] & 3) << 4 | (at[1] & 3) << 2 | (at[2] & 3));
        if (*id == CT_NO_CHILD) {
            *id = count;
            number[count++] = is_red(at);
            reds += is_red(at);
        }
        fine->parent[i] = *id;
    }
    uint32_t next[2] = {(uint32_t)reds, 0}; /* of black and red */
    for (uint32_t c = 0; c < count; c++) number[c] = next[number[c]]++;
    for (size_t i = 0; i < fine->count; i++) fine->parent[i] = number[fine->parent[i]];
    coarse->count = count, coarse->red = reds;
    return CT_OK;
}

typedef struct linking {
    const ct_poisson_level *fine;
    ct_poisson_level *coarse;
    int faces, children;
} linking;

static void link_coarse(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const linking *s = context;
    const ct_poisson_level *f = s->fine;
    for (size_t c = begin; c < end; c++) {
        uint32_t *next = s->coarse->next + c * (size_t)s->faces;
        double *link = s->coarse->link + c * (size_t)s->faces, sum = 0, air = 0;
        for (int k = 0; k < s->faces; k++) next[k] = (uint32_t)c, link[k] = 0;
        for (int child = 0; child < s->children; child++) {
            uint32_t i = s->coarse->child[c * (size_t)s->children + (size_t)child];
            if (i == CT_NO_CHILD) continue;
            air += 0.5 * f->air[i];
            for (int k = 0; k < s->faces; k++) {
                size_t at = (size_t)i * (size_t)s->faces + (size_t)k;
                uint32_t other = f->parent[f->next[at]];
                if (other == c) continue;
                next[k] = other;
                link[k] += 0.5 * f->link[at];
            }
        }
        for (int k = 0; k < s->faces; k++) sum += link[k];
        s->coarse->air[c] = air;
        s->coarse->inverse[c] = air + sum > 0 ? 1 / (air + sum) : 0;
    }
}

static ct_status make_coarse(ct_poisson *p, int level, ct_error *error)
{
    ct_poisson_level *fine = &p->level[level], *coarse = &p->level[level + 1];
    const size_t children = (size_t)1 << p->dimension;
    ct_status status = reserve_level(p, coarse, fine->count, error);
    if (!status) status = number_coarse(p, fine, coarse, error);
    if (status) return status;
    coarse->band_count = coarse->band_red = coarse->rim_count = 0;
    memset(coarse->child, 0xff, coarse->count * children * sizeof *coarse->child);
    for (size_t i = 0; i < fine->count; i++) {
        size_t c = fine->parent[i], corner = 0;
        for (int a = 0; a < p->dimension; a++) corner |= (size_t)(fine->at[i][a] & 1) << a;
        coarse->child[c * children + corner] = (uint32_t)i;
        for (int a = 0; a < 3; a++) coarse->at[c][a] = fine->at[i][a] >> 1;
    }
    linking s = {fine, coarse, 2 * p->dimension, 1 << p->dimension};
    ct_pool_for(p->pool, coarse->count, GRAIN, link_coarse, &s);
    return CT_OK;
}

/* ---- Plain cells -------------------------------------------------------------------------------------- */

static bool is_like(const double *a, const double *b, size_t faces)
{
    bool is_same = true;
    for (size_t k = 0; k < faces; k++) is_same &= a[k] == b[k];
    return is_same;
}

static void find_plain_cells(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const linking *s = context;
    const ct_poisson_level *l = s->fine;
    const size_t faces = (size_t)s->faces;
    for (size_t i = begin; i < end; i++)
        l->is_plain[i] = l->inverse[i] == l->plain_inverse && is_like(l->link + i * faces, l->plain, faces);
}

/* Deep in the water all cells have the same links: those that most of a sample have, by a vote of pairs. */
static void find_plain(const ct_poisson *p, ct_poisson_level *l)
{
    const size_t faces = 2 * (size_t)p->dimension, step = 1 + l->count / 1024;
    size_t chosen = 0, votes = 0;
    for (size_t i = 0; i < l->count; i += step) {
        if (!votes) chosen = i;
        votes += is_like(l->link + i * faces, l->link + chosen * faces, faces) ? 1 : (size_t)-1;
    }
    memset(l->plain, 0, sizeof l->plain);
    if (l->count) memcpy(l->plain, l->link + chosen * faces, faces * sizeof *l->plain);
    double sum = 0;
    for (size_t k = 0; k < faces; k++) sum += l->plain[k];
    l->plain_inverse = sum > 0 ? 1 / sum : 0;
    linking s = {.fine = l, .faces = (int)faces};
    ct_pool_for(p->pool, l->count, GRAIN, find_plain_cells, &s);
    memset(l->r + l->red, 0, (l->count - l->red) * sizeof *l->r);
}

/* ---- Band and rim ------------------------------------------------------------------------------------- */

static void find_uneven(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const linking *s = context;
    const ct_poisson_level *l = s->fine;
    const size_t faces = (size_t)s->faces;
    for (size_t i = begin; i < end; i++) {
        const double *link = l->link + i * faces;
        bool is_even = l->air[i] == 0;
        for (size_t k = 0; k < faces; k += 2) is_even &= link[k] == link[k + 1] && link[k] > 0;
        l->parent[i] = !is_even;
    }
}

static bool is_beside(const ct_poisson_level *l, size_t faces, size_t i, const uint32_t *mark)
{
    bool is_any = mark[i];
    for (size_t k = 0; k < faces && !is_any; k++) is_any = mark[l->next[i * faces + k]];
    return is_any;
}

static void find_near(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const linking *s = context;
    for (size_t i = begin; i < end; i++)
        s->coarse->parent[i] = is_beside(s->fine, (size_t)s->faces, i, s->fine->parent);
}

/* The band: cells whose links differ from each other, or who meet air, and their neighbours. The rim: black cells beside
 * red ones of the band. parent[] is not in use yet. */
static void find_band(const ct_poisson *p, ct_poisson_level *l)
{
    const size_t faces = 2 * (size_t)p->dimension;
    ct_poisson_level near = {.parent = p->label};
    linking s = {l, &near, (int)faces, 0};
    ct_pool_for(p->pool, l->count, GRAIN, find_uneven, &s);
    ct_pool_for(p->pool, l->count, GRAIN, find_near, &s);
    l->band_count = l->band_red = l->rim_count = 0;
    for (size_t i = 0; i < l->count; i++)
        if (near.parent[i]) l->band[l->band_count++] = (uint32_t)i, l->band_red += i < l->red;
    for (size_t i = l->red; i < l->count; i++)
        if (!near.parent[i] && is_beside(l, faces, i, near.parent))
            l->band[l->band_count + l->rim_count++] = (uint32_t)i;
}

static void invert(void *context, size_t begin, size_t end, int worker)
{
    (void)worker;
    const linking *s = context;
    const ct_poisson_level *l = s->fine;
    for (size_t i = begin; i < end; i++) {
        double sum = l->air[i];
        for (int k = 0; k < s->faces; k++) sum += l->link[i * (size_t)s->faces + (size_t)k];
        l->inverse[i] = sum > 0 ? 1 / sum : 0;
    }
}

ct_status ct_poisson_coarsen(ct_poisson *p, ct_error *error)
{
    ct_poisson_level *l = &p->level[0];
    linking s = {.fine = l, .faces = 2 * p->dimension};
    ct_pool_for(p->pool, l->count, GRAIN, invert, &s);
    find_band(p, l);
    find_plain(p, l);
    ct_poisson_find_components(p);
    ct_poisson_label_closed(p);
    ct_status status = CT_OK;
    p->levels = 1;
    while (!status && p->levels < CT_POISSON_LEVELS && p->level[p->levels - 1].count > FEW) {
        status = make_coarse(p, p->levels - 1, error);
        if (!status) find_plain(p, &p->level[p->levels]);
        p->levels++;
    }
    return status;
}

/* ---- Life --------------------------------------------------------------------------------------------- */

void ct_poisson_init(ct_poisson *p, ct_heap *heap, ct_pool *pool, int dimension)
{
    *p = (ct_poisson){.heap = heap, .pool = pool, .dimension = dimension};
}

void ct_poisson_release(ct_poisson *p)
{
    for (int k = 0; k < CT_POISSON_LEVELS && p->heap; k++) {
        ct_poisson_level *l = &p->level[k];
        void *const owned[] = {l->at, l->next, l->link,   l->air,   l->inverse, l->x,
                               l->b,  l->r,    l->parent, l->child, l->band,    l->is_plain};
        for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) ct_release(p->heap, owned[i]);
    }
    void *const owned[] = {p->solution, p->direction, p->image, p->key,    p->id,  p->label,
                           p->tree,     p->patch,     p->mark,  p->bodies, p->rows};
    for (size_t i = 0; i < sizeof owned / sizeof *owned && p->heap; i++) ct_release(p->heap, owned[i]);
}
