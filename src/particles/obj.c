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
