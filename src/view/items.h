/* What a viewer shows: runs, single frames, and scenes before they are run. The list is made afresh for each
 * request, so that a run that begins in a folder of runs appears on the page; a request names an item by its
 * name in that list and by nothing else.
 */
#ifndef CT_VIEW_ITEMS_H
#define CT_VIEW_ITEMS_H

#include "output/writer.h"
#include "scene/scene.h"

typedef enum ct_item_kind { CT_ITEM_RUN, CT_ITEM_FRAME, CT_ITEM_SCENE } ct_item_kind;

typedef struct ct_item {
    ct_item_kind kind;
    const char *name; /* the path as the user gave it, with the subfolder if there is one */
    const char *path; /* of the run's folder, the frame's file, the scene's file */
} ct_item;

typedef struct ct_items {
    ct_arena arena;
    ct_item *items; /* [count] */
    size_t count, capacity;
} ct_items;

enum { CT_MOST_ITEMS = 1000 };

/* Lists what is at the paths. One that has nothing to see is an error. */
ct_status ct_items_list(ct_heap *heap, const char *const *paths, int path_count, ct_items *items,
                        ct_error *error);
const ct_item *ct_items_find(const ct_items *items, const char *name); /* NULL: none */
void ct_items_release(ct_items *items);

/* A short text that changes whenever something about the item does: cheap enough to be asked for often. */
enum { CT_SIGNATURE_SIZE = 96 };
void ct_item_signature(const ct_item *item, char signature[CT_SIGNATURE_SIZE]);

/* Whether some process holds the lock of a run's folder. */
bool ct_item_is_being_written(const ct_item *item);

/* The scene of an item; NULL for a frame without one, and for a run whose used.yaml is missing. */
ct_status ct_item_scene(const ct_item *item, ct_scene **scene, ct_error *error);

/* Numbers of the frames that are there, ascending; on the heap. A frame and a scene have one, number 0. */
ct_status ct_item_frames(ct_heap *heap, const ct_item *item, uint64_t **numbers, size_t *count,
                         ct_error *error);

/* A frame in memory. */
typedef struct ct_still ct_still;
ct_status ct_still_load(ct_heap *heap, const ct_item *item, uint64_t number, ct_still **still,
                        ct_error *error);
const ct_frame *ct_still_frame(const ct_still *still);
void ct_still_release(ct_still *still); /* NULL is fine */

#endif
