/* What the tests of src/output share: a folder of their own, whole files in memory, an allocator that fails
 * when told to, and a disk that is full.
 */
#ifndef CT_TESTS_OUTPUT_SUPPORT_H
#define CT_TESTS_OUTPUT_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "output/writer.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Gives memory until `left` allocations were made; negative: for ever. */
typedef struct faulty_allocator {
    long left;
    long held; /* blocks not yet released */
} faulty_allocator;

static inline void *faulty_allocate(size_t bytes, void *user)
{
    faulty_allocator *faulty = user;
    if (faulty->left == 0) return NULL;
    if (faulty->left > 0) faulty->left--;
    void *memory = aligned_alloc(64, bytes);
    if (memory) faulty->held++;
    return memory;
}

static inline void faulty_release(void *memory, void *user)
{
    ((faulty_allocator *)user)->held--;
    free(memory);
}

static inline ct_heap faulty_heap(faulty_allocator *faulty)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){faulty_allocate, faulty_release, faulty});
    return heap;
}

static inline ct_heap plain_heap(void)
{
    ct_heap heap;
    ct_heap_init(&heap, (ct_allocator){0});
    return heap;
}

/* The state of a group of tests: an empty folder. */
typedef struct test_folder {
    char path[64];
    char file[512]; /* the last answer of path_in */
} test_folder;

static inline int make_folder(void **state)
{
    static test_folder folder;
    strcpy(folder.path, "output-XXXXXX");
    *state = &folder;
    return mkdtemp(folder.path) ? 0 : -1;
}

static inline const char *path_in(void **state, const char *name)
{
    test_folder *folder = *state;
    snprintf(folder->file, sizeof folder->file, "%s/%s", folder->path, name);
    return folder->file;
}

/* Removes what is in the folder and returns how many files that were. */
static inline int empty_folder(void **state)
{
    test_folder *folder = *state;
    int files = 0;
    DIR *open_folder = opendir(folder->path);
    for (struct dirent *entry; open_folder && (entry = readdir(open_folder));) {
        if (entry->d_name[0] == '.') continue;
        assert_int_equal(remove(path_in(state, entry->d_name)), 0);
        files++;
    }
    if (open_folder) closedir(open_folder);
    return files;
}

static inline int remove_folder(void **state)
{
    empty_folder(state);
    return rmdir(((test_folder *)*state)->path);
}

/* A whole file; the caller frees it. */
static inline unsigned char *load_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

/* Whatever is written to `path` from now on meets a full disk: the temporary file leads to /dev/full. */
static inline void fill_disk_at(const char *path)
{
    char temporary[600];
    snprintf(temporary, sizeof temporary, "%s.part", path);
    assert_int_equal(symlink("/dev/full", temporary), 0);
}

static inline void assert_mentions(const ct_error *error, const char *word)
{
    if (!strstr(error->message, word)) fail_msg("'%s' is not in the message: %s", word, error->message);
}

/* What a writer makes of a frame; the caller frees it. */
static inline unsigned char *write_frame(void **state, const char *writer, const ct_frame *frame,
                                         size_t *size)
{
    ct_heap heap = plain_heap();
    ct_error error = {0};
    const char *path = path_in(state, "frame");
    const ct_writer *found = ct_writer_find(writer);
    assert_non_null(found);
    if (found->write(&heap, ct_to(path), frame, &error)) fail_msg("%s", error.message);
    assert_int_equal(heap.bytes, 0);
    unsigned char *bytes = load_file(path, size);
    assert_int_equal(empty_folder(state), 1);
    return bytes;
}

#endif
