#include "output/hdf5.h"

#include <string.h>

/* Types of messages. */
enum {
    SPACE = 0x01,
    GROUP_LINKS = 0x02,
    TYPE = 0x03,
    FILL = 0x05,
    LINK = 0x06,
    LAYOUT = 0x08,
    GROUP = 0x0a,
    ATTRIBUTE = 0x0c
};

static const uint64_t NOWHERE = UINT64_MAX; /* an address that is not there */

/* ---- numbers ---- */

static void put(ct_text *text, uint64_t number, int bytes)
{
    unsigned char little[8];
    for (int k = 0; k < bytes; k++) little[k] = (unsigned char)(number >> 8 * k);
    ct_text_append(text, little, (size_t)bytes);
}

/* Overwrites what was put before it was known. */
static void patch(ct_text *text, size_t place, uint64_t number, int bytes)
{
    for (int k = 0; k < bytes && !text->failed; k++)
        text->data[place + (size_t)k] = (char)(unsigned char)(number >> 8 * k);
}

static uint32_t turned(uint32_t bits, int by)
{
    return bits << by | bits >> (32 - by);
}

/* One word of lookup3's three is taken from another and mixed with it turned, round and round. */
static void mix(uint32_t s[3])
{
    static const int by[6] = {4, 6, 8, 16, 19, 4};
    for (int k = 0; k < 6; k++) {
        int a = k % 3, b = (k + 1) % 3, c = (k + 2) % 3;
        s[a] -= s[c];
        s[a] ^= turned(s[c], by[k]);
        s[c] += s[b];
    }
}

static void finish(uint32_t s[3])
{
    static const int by[7] = {14, 11, 25, 16, 4, 14, 24};
    for (int k = 0; k < 7; k++) {
        int to = (k + 2) % 3, from = (k + 1) % 3;
        s[to] ^= s[from];
        s[to] -= turned(s[from], by[k]);
    }
}

uint32_t ct_hdf5_checksum(const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    uint32_t start = 0xdeadbeefu + (uint32_t)count, s[3] = {start, start, start};
    for (;; at += 12, count -= 12) { /* the last 1 to 12 bytes are finished, those before mixed */
        size_t n = count < 12 ? count : 12;
        if (n == 0) return s[2];
        for (size_t k = 0; k < n; k++) s[k / 4] += (uint32_t)at[k] << 8 * (k % 4);
        if (count <= 12) break;
        mix(s);
    }
    finish(s);
    return s[2];
}

/* ---- headers ---- */

enum { SIZE_PLACE = 6, HEADER_BYTES = 10, MESSAGE_BYTES = 4 };

uint64_t ct_hdf5_begin(ct_hdf5 *file)
{
    while (file->text.length % 8 && !file->text.failed) put(&file->text, 0, 1);
    file->begin = file->text.length;
    ct_text_append(&file->text, "OHDR", 4);
    put(&file->text, 2, 1); /* version */
    put(&file->text, 2, 1); /* the size that follows has four bytes */
    put(&file->text, 0, 4);
    return file->address + file->begin;
}

void ct_hdf5_end(ct_hdf5 *file)
{
    ct_text *text = &file->text;
    patch(text, file->begin + SIZE_PLACE, text->length - file->begin - HEADER_BYTES, 4);
    if (text->failed) return;
    put(text, ct_hdf5_checksum(text->data + file->begin, text->length - file->begin), 4);
}

static size_t begin_message(ct_text *text, int type)
{
    put(text, (uint64_t)type, 1);
    put(text, 0, 3); /* its size, which is not known yet, and flags */
    return text->length;
}

static void end_message(ct_text *text, size_t begin)
{
    patch(text, begin - MESSAGE_BYTES + 1, text->length - begin, 2);
}

/* ---- what messages hold ---- */

/* Version 1 of datatypes. */
static void put_type(ct_text *text, ct_hdf5_type type)
{
    enum { FIXED_POINT = 0, FLOATING_POINT = 1, STRING = 3, VERSION = 1 << 4 };
    uint64_t bits = 8 * (uint64_t)type.bytes;
    bool is_single = type.bytes == 4;
    switch (type.kind) {
    case CT_HDF5_UNSIGNED:
    case CT_HDF5_SIGNED:
        put(text, VERSION | FIXED_POINT, 1);
        put(text, type.kind == CT_HDF5_SIGNED ? 1u << 3 : 0, 3);
        put(text, type.bytes, 4);
        put(text, bits << 16, 4); /* from bit 0, all of them */
        return;
    case CT_HDF5_FLOAT: /* IEEE 754: a leading 1 that is not stored; the sign is the highest bit */
        put(text, VERSION | FLOATING_POINT, 1);
        put(text, 2u << 4 | (bits - 1) << 8, 3);
        put(text, type.bytes, 4);
        put(text, bits << 16, 4);
        put(text, is_single ? 23 : 52, 1); /* exponent: place and size */
        put(text, is_single ? 8 : 11, 1);
        put(text, 0, 1); /* mantissa: place and size */
        put(text, is_single ? 23 : 52, 1);
        put(text, is_single ? 127 : 1023, 4); /* what is added to the exponent */
        return;
    case CT_HDF5_TEXT:
        put(text, VERSION | STRING, 1);
        put(text, 1, 3); /* padded with zeros; ASCII */
        put(text, type.bytes, 4);
        return;
    }
}

static void put_space(ct_text *text, ct_hdf5_space space)
{
    put(text, 2, 1); /* version */
    put(text, (uint64_t)space.rank, 1);
    put(text, 0, 1);
    put(text, space.rank > 0, 1); /* one value, or a table */
    for (int k = 0; k < space.rank; k++) put(text, space.size[k], 8);
}

void ct_hdf5_put_dataset(ct_hdf5 *file, ct_hdf5_type type, ct_hdf5_space space, uint64_t values)
{
    ct_text *text = &file->text;
    uint64_t bytes = type.bytes;
    for (int k = 0; k < space.rank; k++) bytes *= space.size[k];
    size_t begin = begin_message(text, SPACE);
    put_space(text, space);
    end_message(text, begin);
    begin = begin_message(text, TYPE);
    put_type(text, type);
    end_message(text, begin);
    begin = begin_message(text, FILL); /* values that were never written: there are none */
    put(text, 3, 1);
    put(text, 2 | 2 << 2, 1);
    end_message(text, begin);
    begin = begin_message(text, LAYOUT);
    put(text, 3, 1); /* version */
    put(text, 1, 1); /* in one piece */
    put(text, bytes ? values : NOWHERE, 8);
    put(text, bytes, 8);
    end_message(text, begin);
}

void ct_hdf5_put_group(ct_hdf5 *file)
{
    size_t begin = begin_message(&file->text, GROUP_LINKS);
    put(&file->text, 0, 2); /* version; links in no particular order */
    put(&file->text, NOWHERE, 8);
    put(&file->text, NOWHERE, 8);
    end_message(&file->text, begin);
    begin = begin_message(&file->text, GROUP);
    put(&file->text, 0, 2); /* version, nothing else */
    end_message(&file->text, begin);
}

void ct_hdf5_put_link(ct_hdf5 *file, const char *name, uint64_t object)
{
    ct_text *text = &file->text;
    size_t length = strlen(name), begin = begin_message(text, LINK);
    put(text, 1, 1);          /* version */
    put(text, 1 | 1 << 4, 1); /* the length of the name has two bytes; its alphabet is told */
    put(text, 1, 1);          /* UTF-8 */
    put(text, length, 2);
    ct_text_append(text, name, length);
    put(text, object, 8);
    end_message(text, begin);
}

void ct_hdf5_put_attribute(ct_hdf5 *file, const char *name, ct_hdf5_type type, ct_hdf5_space space,
                           const void *values, size_t bytes)
{
    ct_text *text = &file->text;
    size_t begin = begin_message(text, ATTRIBUTE), length = strlen(name) + 1;
    put(text, 3, 2); /* version, flags */
    put(text, length, 2);
    size_t sizes = text->length;
    put(text, 0, 4); /* of type and space */
    put(text, 0, 1); /* ASCII */
    ct_text_append(text, name, length);
    size_t type_place = text->length;
    put_type(text, type);
    size_t space_place = text->length;
    put_space(text, space);
    patch(text, sizes, space_place - type_place, 2);
    patch(text, sizes + 2, text->length - space_place, 2);
    ct_text_append(text, values, bytes);
    end_message(text, begin);
}

void ct_hdf5_superblock(uint64_t size, uint64_t root, unsigned char block[CT_HDF5_SUPERBLOCK])
{
    /* signature; version 2; addresses and lengths of 8 bytes; no flags */
    static const unsigned char start[12] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n', 2, 8, 8, 0};
    const uint64_t addresses[4] = {0 /* of the file itself */, NOWHERE /* of an extension */, size, root};
    memcpy(block, start, sizeof start);
    memcpy(block + sizeof start, addresses, sizeof addresses);
    uint32_t checksum = ct_hdf5_checksum(block, CT_HDF5_SUPERBLOCK - 4);
    memcpy(block + CT_HDF5_SUPERBLOCK - 4, &checksum, sizeof checksum);
}
