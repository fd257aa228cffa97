/* Packing: of up to 64 numbers those of the chosen particles move to the front, in their order, and back.
 * Particles of one material are collected so from a mixed batch (material/batch.c). With AVX2 a register at a
 * time: the choice is made once, as permutations, for all numbers of the particles. AVX-512 has instructions
 * for it.
 */
#ifndef CT_CORE_PACK_H
#define CT_CORE_PACK_H

#include "core/lanes.h"

#if CT_LANE_BYTES == 64 && !defined(CT_EMULATE_AVX512)
#define CT_COMPRESSES_REGISTERS
#define CT_PACKS_REGISTERS
#elif CT_LANE_BYTES == 32 && defined(__BMI2__)
#define CT_PACKS_REGISTERS
#endif

enum { CT_MOST_PACKED = 64 };

typedef struct ct_packing {
    int members;                          /* that were chosen */
    int packed;                           /* of them in whole registers; the others go one by one */
    int groups;                           /* of whole registers */
    unsigned char member[CT_MOST_PACKED]; /* from `packed` on: which they are */
#ifdef CT_PACKS_REGISTERS
    int before[CT_MOST_PACKED / CT_LANES]; /* members before a group */
#endif
#ifdef CT_COMPRESSES_REGISTERS
    uint16_t chosen[CT_MOST_PACKED / CT_LANES]; /* a bit a slot */
#elif defined(CT_PACKS_REGISTERS)
    __m256i pack[CT_MOST_PACKED / CT_LANES], unpack[CT_MOST_PACKED / CT_LANES];
    ct_mask chosen[CT_MOST_PACKED / CT_LANES];
#endif
} ct_packing;

#ifdef CT_COMPRESSES_REGISTERS
static inline void ct_packing_group(ct_packing *p, int g, const unsigned char *is_chosen)
{
    __m128i bytes = CT_LANES == 8 ? _mm_loadl_epi64((const __m128i *)is_chosen)
                                  : _mm_loadu_si128((const __m128i *)is_chosen);
    p->chosen[g] = (uint16_t)_mm_movemask_epi8(_mm_sub_epi8(_mm_setzero_si128(), bytes));
    p->before[g] = p->packed;
    p->packed += __builtin_popcount(p->chosen[g]);
}

static inline ct_lane ct_pack_group(const ct_packing *p, int g, ct_lane a)
{
    return CT_VECTOR(maskz_compress)(p->chosen[g], a);
}

static inline ct_lane ct_unpack_group(const ct_packing *p, int g, ct_lane packed, ct_lane there)
{
    return CT_VECTOR(mask_expand)(there, p->chosen[g], packed);
}
#elif defined(CT_PACKS_REGISTERS)
/* The permutations of a group, in words of 32 bits (a double is two of them): a byte a word, of which those
 * of chosen slots are extracted from, or deposited into, the bytes 0 to 7. */
static inline void ct_packing_group(ct_packing *p, int g, const unsigned char *is_chosen)
{
    const unsigned long long places = 0x0706050403020100u;
    unsigned long long bytes = 0;
    memcpy(&bytes, is_chosen, CT_LANES);
    if (CT_IS_DOUBLE) bytes = _pdep_u64(bytes, 0x00ff00ff00ff00ffu) * 0x101;
    bytes *= 0xff;
    p->pack[g] = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)_pext_u64(places, bytes)));
    p->unpack[g] = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)_pdep_u64(places, bytes)));
    p->chosen[g] = (ct_mask)_mm256_cvtepi8_epi32(_mm_cvtsi64_si128((long long)bytes));
    p->before[g] = p->packed;
    p->packed += __builtin_popcountll(bytes) / (8 * (int)sizeof(ct_real) / 4);
}

static inline ct_lane ct_pack_group(const ct_packing *p, int g, ct_lane a)
{
    return (ct_lane)_mm256_permutevar8x32_epi32((__m256i)a, p->pack[g]);
}

static inline ct_lane ct_unpack_group(const ct_packing *p, int g, ct_lane packed, ct_lane there)
{
    ct_lane here = (ct_lane)_mm256_permutevar8x32_epi32((__m256i)packed, p->unpack[g]);
    return ct_lane_select(p->chosen[g], here, there);
}
#endif

/* Chooses those of `count` particles for which is_chosen is 1; it is 0 for the others. */
static inline void ct_packing_make(ct_packing *p, const unsigned char *is_chosen, int count)
{
    p->groups = p->packed = 0;
#ifdef CT_PACKS_REGISTERS
    for (; p->groups < count / CT_LANES; p->groups++)
        ct_packing_group(p, p->groups, is_chosen + p->groups * CT_LANES);
#endif
    p->members = p->packed;
    for (int i = p->groups * CT_LANES; i < count; i++)
        if (is_chosen[i]) p->member[p->members++] = (unsigned char)i;
}

/* `to` has room for the whole choice, rounded up to lanes. */
static inline void ct_pack(const ct_packing *p, const ct_real *from, ct_real *to)
{
#ifdef CT_PACKS_REGISTERS
    CT_FOR(g, p->groups)
        ct_lane_store(to + p->before[g], ct_pack_group(p, g, ct_lane_load(from + g * CT_LANES)));
#endif
    for (int i = p->packed; i < p->members; i++) to[i] = from[p->member[i]];
}

/* The first `some` numbers, fewer than a lane has, and no others: by halves, quarters and so on of a lane, if
 * no instruction does it. */
CT_INLINE void ct_copy_some(int some, const ct_real *from, ct_real *to)
{
#ifdef CT_COMPRESSES_REGISTERS
    unsigned first = (1u << some) - 1;
    CT_VECTOR(mask_storeu)(to, (uint16_t)first, CT_VECTOR(maskz_loadu)((uint16_t)first, from));
#else
    CT_UNROLL(k, 4) { /* lanes have at most 16 numbers */
        const int part = CT_LANES >> (k + 1);
        int at = some & -2 * part;
        if (some & part) memcpy(to + at, from + at, (size_t)part * sizeof *to);
    }
#endif
}

/* What is not chosen stays in `to`. */
static inline void ct_unpack(const ct_packing *p, const ct_real *from, ct_real *to)
{
#ifdef CT_PACKS_REGISTERS
    CT_FOR(g, p->groups)
        ct_lane_store(to + g * CT_LANES, ct_unpack_group(p, g, ct_lane_load(from + p->before[g]),
                                                         ct_lane_load(to + g * CT_LANES)));
#endif
    for (int i = p->packed; i < p->members; i++) to[p->member[i]] = from[i];
}

#endif
