#include "scene/encoding.h"

#include <string.h>

int ct_utf8_read(const unsigned char *bytes, size_t count, unsigned *code)
{
    /* The lead byte says how many follow; the least code of each length refuses roundabout spellings. */
    static const struct {
        unsigned char mask, lead;
        unsigned least;
    } lengths[] = {{0x80, 0x00, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};
    for (int length = 1; length <= 4; length++) {
        if ((bytes[0] & lengths[length - 1].mask) != lengths[length - 1].lead) continue;
        if ((size_t)length > count) return 0;
        *code = bytes[0] & (unsigned char)~lengths[length - 1].mask;
        for (int i = 1; i < length; i++) {
            if ((bytes[i] & 0xC0) != 0x80) return 0;
            *code = *code << 6 | (bytes[i] & 0x3F);
        }
        bool is_surrogate = *code >= 0xD800 && *code <= 0xDFFF;
        return *code < lengths[length - 1].least || *code > 0x10FFFF || is_surrogate ? 0 : length;
    }
    return 0;
}

bool ct_is_yaml_character(unsigned code)
{
    if (code == '\t' || code == '\n' || code == '\r' || code == 0x85) return true;
    if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return false;
    return code != 0xFEFF && code != 0xFFFE && code != 0xFFFF;
}

static bool is_utf16(const unsigned char *bytes, size_t count)
{
    if (count < 2) return false;
    bool has_mark = (bytes[0] == 0xFF && bytes[1] == 0xFE) || (bytes[0] == 0xFE && bytes[1] == 0xFF);
    return has_mark ||
           (!bytes[0] != !bytes[1] && count >= 4 && !bytes[0] == !bytes[2] && !bytes[1] == !bytes[3]);
}

bool ct_check_encoding(ct_mistakes *mistakes, const char *setting, const char *bytes, size_t count)
{
    const unsigned char *text = (const unsigned char *)bytes;
    ct_place place = {setting, 1, 1};
    if (is_utf16(text, count)) {
        ct_mistake(mistakes, place, "the text is in UTF-16; save it as UTF-8");
        return false;
    }
    for (size_t at = 0; at < count;) {
        unsigned code;
        int length = ct_utf8_read(text + at, count - at, &code);
        if (length && code == 0) {
            ct_mistake(mistakes, place, "a zero byte: this is not a text file; a scene is YAML in UTF-8");
            return false;
        }
        if (!length || !ct_is_yaml_character(code)) {
            ct_mistake(mistakes, place, "the byte 0x%02X does not belong in a text; a scene is YAML in UTF-8",
                       text[at]);
            return false;
        }
        at += (size_t)length;
        place.column++;
        if (code == '\n') place.line++, place.column = 1;
    }
    return true;
}
