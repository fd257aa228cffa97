/* Fuzzing: any bytes at all are given to a reader, millions of times, by a program that watches which
 * branches they reach and changes them to reach more. A harness is one file; it gives the bytes to its reader
 * and then insists on the promises that hold for every input:
 *
 *   - no crash, overflow or undefined behaviour (the sanitizers), no hang (the fuzzer's clock);
 *   - success or a status with a message; a message about a broken file names the file;
 *   - all memory is given back; memory that runs out is a status as well.
 *
 * The same harnesses are linked with replay.c instead of libFuzzer into an ordinary test that goes through
 * the seeds and the inputs that once failed, with any compiler.
 */
#ifndef CT_FUZZ_H
#define CT_FUZZ_H

#include "core/memory.h"

/* What libFuzzer and replay.c call. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* Aborts with the promise that was broken, which ends the fuzzing and keeps the input. */
void ct_fuzz_require(bool holds, const char *promise);

/* `error` must fit `status`, which is not CT_OK: the same status, one of `expected` or CT_NO_MEMORY, a
 * message that ends and is not empty, and that names the file `name`. */
void ct_fuzz_require_error(ct_status status, const ct_error *error, ct_status expected, const char *name);

/* A heap with little memory in it, so that an absurd size in a file shows as CT_NO_MEMORY and not as a long
 * wait; its allocation number `failing`, counted from 1, fails as well (0: none). */
typedef struct ct_fuzz_heap {
    ct_heap heap;
    unsigned made, failing;
} ct_fuzz_heap;

void ct_fuzz_heap_init(ct_fuzz_heap *heap, unsigned failing);
/* All memory must be back. */
void ct_fuzz_heap_finish(const ct_fuzz_heap *heap);

/* A number that depends on all of the bytes, each of which is read. */
uint64_t ct_fuzz_hash(const uint8_t *bytes, size_t count);

/* A harness's way to read bytes as a file of this name, with the memory of `heap`, all of which it gives
 * back.
 */
typedef void ct_fuzz_reader(ct_heap *heap, const char *name, const uint8_t *bytes, size_t count);

/* Reads, and reads again with one of the allocations failing, which the bytes choose. */
void ct_fuzz_read(ct_fuzz_reader *reader, const char *name, const uint8_t *bytes, size_t count);

#endif
