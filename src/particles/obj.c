#include "particles/obj.h"

#include <string.h>

bool ct_obj_word(ct_obj_line *line, ct_slice *word)
{
    while (ct_slice_word(&line->rest, word)) {
        if (word->at[0] == '#') return false;
        if (!ct_slice_is(*word, "\\")) return true;
        if (!ct_scan_line(line->scan, &line->rest)) return false;
    }
    return false;
}

ct_status ct_obj_vertex(const ct_obj_line *line, ct_slice word, size_t count, int64_t *vertex,
                        ct_error *error)
{
    const char *slash = memchr(word.at, '/', word.length);
    if (slash) word.length = (size_t)(slash - word.at);
    if (!ct_slice_integer(word, vertex) || *vertex == 0)
        return ct_scan_fail(line->scan, error, "'%.*s' is no number of a vertex (they count from 1)",
                            ct_slice_width(word), word.at);
    *vertex = *vertex > 0 ? *vertex - 1 : (int64_t)count + *vertex;
    return CT_OK;
}

ct_status ct_obj_texture(const ct_obj_line *line, ct_slice word, size_t count, int64_t *texture,
                         ct_error *error)
{
    const char *slash = memchr(word.at, '/', word.length), *end = word.at + word.length;
    *texture = -1;
    if (!slash) return CT_OK;
    const char *next = memchr(slash + 1, '/', (size_t)(end - slash - 1));
    const ct_slice part = {slash + 1, (size_t)((next ? next : end) - slash - 1)};
    if (!part.length) return CT_OK;
    if (!ct_slice_integer(part, texture) || *texture == 0)
        return ct_scan_fail(line->scan, error,
                            "'%.*s' is no number of a texture coordinate (they count from 1)",
                            ct_slice_width(part), part.at);
    *texture = *texture > 0 ? *texture - 1 : (int64_t)count + *texture;
    if (*texture >= 0 && (uint64_t)*texture < count) return CT_OK;
    return ct_scan_fail(line->scan, error,
                        "a face uses a texture coordinate that is not there (there are %zu so far)", count);
}
