/* map.h - hash maps keyed by bytes or by u64, open addressing, insertion order kept. */
#ifndef IA_BASE_MAP_H
#define IA_BASE_MAP_H

#include "base/str.h"

uint64_t ia_hash_bytes(const void *p, size_t n); /* XXH3 64 */
uint64_t ia_hash_u64(uint64_t x);

/* Bytes -> u64. Keys are copied into one pool. Entries are numbered 0.. in insertion order and
 * never move number; removal is not offered. All-zero is valid. Threads: one at a time. */
typedef struct ia_bytemap {
    struct ia_bytemap_entry *entries; /* n used */
    uint32_t *slots;                  /* entry number + 1, 0 = free; nslots, a power of two */
    uint8_t *pool;                    /* key bytes */
    size_t n, cap, nslots, pool_len, pool_cap;
} ia_bytemap;

typedef struct ia_bytemap_entry {
    uint64_t hash;
    uint64_t key_off; /* into pool */
    uint32_t key_len;
    uint64_t value;
} ia_bytemap_entry;

/* Finds key; false when absent. *index (may be NULL) = entry number. */
bool ia_bytemap_find(const ia_bytemap *m, const void *key, size_t len, size_t *index);
/* Finds or adds; *added (may be NULL) tells which. A new entry has value 0. */
ia_status ia_bytemap_put(ia_ctx *cx, ia_bytemap *m, const void *key, size_t len, size_t *index,
                         bool *added) IA_MUST_CHECK;
ia_view ia_bytemap_key(const ia_bytemap *m, size_t index); /* until the next put */
static inline uint64_t *ia_bytemap_value(ia_bytemap *m, size_t index)
{
    return &m->entries[index].value;
}
static inline uint64_t ia_bytemap_get(const ia_bytemap *m, size_t index)
{
    return m->entries[index].value;
}
/* Entry numbers in byte order of their keys; NULL when empty. Owner of *out: the caller. */
ia_status ia_bytemap_sorted(ia_ctx *cx, const ia_bytemap *m, size_t **out) IA_MUST_CHECK;
void ia_bytemap_dispose(ia_bytemap *m);

/* u64 -> u64, same rules. */
typedef struct ia_u64map {
    struct ia_u64pair *entries;
    uint32_t *slots;
    size_t n, cap, nslots;
} ia_u64map;

typedef struct ia_u64pair {
    uint64_t key, value;
} ia_u64pair;

bool ia_u64map_find(const ia_u64map *m, uint64_t key, uint64_t *value);
/* Adds the pair or replaces the value. */
ia_status ia_u64map_put(ia_ctx *cx, ia_u64map *m, uint64_t key, uint64_t value) IA_MUST_CHECK;
void ia_u64map_dispose(ia_u64map *m);

#endif
