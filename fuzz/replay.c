/* A main for a harness without libFuzzer: gives it each of the files named on the command line, whole, then
 * cut short and with one byte changed at a number of places spread over its length. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 32 };

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    ct_fuzz_require(memory, "there is memory for the input");
    return memory;
}

/* In a block of exactly their size, so that a sanitizer sees a read past them. */
static void give(const unsigned char *bytes, size_t count, size_t changed_place)
{
    unsigned char *copy = allocate(count);
    memcpy(copy, bytes, count);
    if (changed_place < count) copy[changed_place] ^= 0x15;
    LLVMFuzzerTestOneInput(copy, count);
    free(copy);
}

static unsigned char *load(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    ct_fuzz_require(file && !fseek(file, 0, SEEK_END), path);
    long length = ftell(file);
    ct_fuzz_require(length >= 0 && !fseek(file, 0, SEEK_SET), path);
    unsigned char *bytes = allocate((size_t)length);
    *count = fread(bytes, 1, (size_t)length, file);
    ct_fuzz_require(*count == (size_t)length, path);
    fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        size_t count;
        unsigned char *bytes = load(argv[i], &count);
        give(bytes, count, SIZE_MAX);
        for (size_t place = 0; place < PLACES; place++) {
            give(bytes, count * place / PLACES, SIZE_MAX);
            give(bytes, count, count * place / PLACES);
        }
        free(bytes);
    }
    printf("%d files, %d inputs each, every promise kept\n", argc - 1, 1 + 2 * PLACES);
    return argc > 1 ? 0 : 1;
}
