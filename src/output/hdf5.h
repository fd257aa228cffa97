/* HDF5 files, as much of the format as frames need: groups, datasets that lie in one piece, attributes. The
 * library that is usually used for this brings forty others along; what it would write for us is short:
 *
 *     superblock (48 bytes) | values of all datasets | object headers: datasets, their groups, the root
 *
 * Every object has a header: a list of messages, such as its type, its size, where its values lie, or the
 * name and address of another object (a link), closed by a checksum. Values come first because their
 * addresses follow from their sizes alone; objects come before the groups that name them, so that every
 * address is known when it is written. Read by any HDF5 since 1.8 (superblock version 2, headers version 2).
 */
#ifndef CT_OUTPUT_HDF5_H
#define CT_OUTPUT_HDF5_H

#include "core/text.h"

enum { CT_HDF5_SUPERBLOCK = 48 /* bytes, before the first values */ };

/* Little-endian numbers, and a text of fixed length. */
typedef enum ct_hdf5_kind { CT_HDF5_UNSIGNED, CT_HDF5_SIGNED, CT_HDF5_FLOAT, CT_HDF5_TEXT } ct_hdf5_kind;

typedef struct ct_hdf5_type {
    ct_hdf5_kind kind;
    uint32_t bytes; /* of one value */
} ct_hdf5_type;

/* One number (no dimension), a list, or a table. */
typedef struct ct_hdf5_space {
    int rank; /* 0 to 2 */
    uint64_t size[2];
} ct_hdf5_space;

/* Headers are appended to `text`, which begins in the file at `address`; each is begun, filled with messages
 * and ended. `begin` returns the address of the new object. */
typedef struct ct_hdf5 {
    ct_text text;
    uint64_t address;
    size_t begin; /* of the header at hand */
} ct_hdf5;

uint64_t ct_hdf5_begin(ct_hdf5 *file);
void ct_hdf5_end(ct_hdf5 *file);

/* Makes the header that of a dataset whose values lie at `values`. */
void ct_hdf5_put_dataset(ct_hdf5 *file, ct_hdf5_type type, ct_hdf5_space space, uint64_t values);
/* Makes it that of a group. */
void ct_hdf5_put_group(ct_hdf5 *file);
/* An object of the group; names of up to 60,000 bytes. */
void ct_hdf5_put_link(ct_hdf5 *file, const char *name, uint64_t object);
void ct_hdf5_put_attribute(ct_hdf5 *file, const char *name, ct_hdf5_type type, ct_hdf5_space space,
                           const void *values, size_t bytes);

/* The first bytes of a file of `size` bytes, whose root group is at `root`. */
void ct_hdf5_superblock(uint64_t size, uint64_t root, unsigned char block[CT_HDF5_SUPERBLOCK]);

/* The checksum that closes headers and superblock (Jenkins's lookup3, started at 0). */
uint32_t ct_hdf5_checksum(const void *bytes, size_t count);

#endif
