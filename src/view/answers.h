/* What the server answers, apart from the network: one function a path, and the list. All are questions; the
 * parameters are those of the query.
 *
 *     /api/items                            what there is to see, as JSON
 *     /api/state?item=I&from=N&seen=S       about one item: scene, bodies, state, the frames from the N-th
 * on.
 *                                           With `seen`, the signature of the last answer, it waits a while
 *                                           for news
 *     /api/frame?item=I&frame=N&field=F     a frame (encode.h)
 *     /api/colliders?item=I&frame=N         the colliders at that frame (surfaces.h)
 *     /api/stats?item=I&from=B              stats.csv from byte B on, whole rows
 *     /api/thumbnail?item=I                 a small picture, PNG
 *     /api/maps                             colour maps: 256 x RGB sequential, 256 x RGB diverging
 */
#ifndef CT_VIEW_ANSWERS_H
#define CT_VIEW_ANSWERS_H

#include "view/studio.h"

typedef struct ct_answer {
    const char *type; /* MIME */
    ct_text body;
    uint64_t next; /* of /api/stats: the byte to go on from */
} ct_answer;

/* Looks a parameter up and decodes it into `value` of `size` bytes; false where it is missing or too long. */
typedef bool (*ct_parameter_reader)(void *request, const char *name, char *value, size_t size);

typedef struct ct_question {
    ct_heap *heap;
    ct_studio *studio;
    const char *const *paths; /* [path_count] as the viewer was opened with */
    int path_count;
    void *request;
    ct_parameter_reader read;
    bool (*may_wait)(void *request); /* whether to go on waiting for news */
} ct_question;

typedef ct_status (*ct_answerer)(const ct_question *question, ct_answer *answer, ct_error *error);
ct_answerer ct_answerer_find(const char *path); /* NULL: there is nothing at that path */

#endif
