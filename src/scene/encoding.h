/* Whether bytes are the text that YAML is made of: UTF-8 without control characters. Checked before anything
 * is parsed, so that a picture or a UTF-16 file given by accident is named for what it is.
 */
#ifndef CT_SCENE_ENCODING_H
#define CT_SCENE_ENCODING_H

#include "scene/mistakes.h"

/* Notes a mistake at the first byte that does not belong and returns false. */
bool ct_check_encoding(ct_mistakes *mistakes, const char *setting, const char *bytes, size_t count);

/* Reads the character at `bytes` (of `count` > 0) into *code. Returns its bytes; 0 when it is not UTF-8. */
int ct_utf8_read(const unsigned char *bytes, size_t count, unsigned *code);

/* What YAML allows to stand in a file as it is. */
bool ct_is_yaml_character(unsigned code);

#endif
