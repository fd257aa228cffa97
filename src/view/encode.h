/* A frame as the page gets it, little endian:
 *
 *     "CTV1"                  4 bytes
 *     length of the header    uint32, a multiple of 4
 *     header                  JSON, padded with blanks: what follows and how to read it
 *     position                uint16 [shown x 3]: of the box `min`..`max`, 0 and 65535 are its sides; then
 *                             padding to a multiple of 4
 *     value                   uint16 [shown]: of `range`; absent when no field was asked for; padding
 *                             likewise
 *     body                    uint8 [shown]: number of the body, of 256; padding likewise
 *     triangles               uint32 [triangles x 3]: of sheets, indices into the above
 *     lines                   uint32 [lines x 2]: of strands, likewise
 *
 * The first `loose` of the points are particles; the others belong to sheets and strands.
 *
 * A position is off by at most 1/131070 of the box: a pixel, even where the box is as wide as a cinema
 * screen. Frames with more particles than wanted are thinned to an even selection that is the same in each
 * frame; sheets and strands are kept whole.
 */
#ifndef CT_VIEW_ENCODE_H
#define CT_VIEW_ENCODE_H

#include "output/writer.h"

/* `field` is the name of what the colours show; NULL or one that the frame does not hold: none. */
ct_status ct_frame_encode(ct_heap *heap, const ct_frame *frame, uint64_t number, const char *field,
                          size_t most_points, ct_text *bytes, ct_error *error);

#endif
