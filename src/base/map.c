/* map.c - open-addressing hash maps over numbered entries. */
#include "base/map.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Slots hold entry number + 1, so at most this many entries fit. */
#define MAX_ENTRIES ((size_t)UINT32_MAX - 1)

uint64_t ia_hash_bytes(const void *p, size_t n)
{
    return XXH3_64bits(n > 0 ? p : "", n);
}

uint64_t ia_hash_u64(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xD6E8FEB86659FD93);
    x ^= x >> 32;
    x *= UINT64_C(0xD6E8FEB86659FD93);
    return x ^ (x >> 32);
}

/* Slot count for one more entry at a load of at most 3/4; 0 when the present table is enough. */
static size_t slots_wanted(size_t n, size_t nslots)
{
    if (nslots > 0 && n + 1 <= nslots - nslots / 4)
        return 0;
    return nslots == 0 ? 16 : nslots * 2;
}

static ia_status check_full(ia_ctx *cx, size_t n)
{
    if (n >= MAX_ENTRIES)
        return ia_fail(cx, IA_ERR_UNSUPPORTED, "a map of more than %zu keys", MAX_ENTRIES);
    return IA_OK;
}

static void slot_insert(uint32_t *slots, size_t nslots, uint64_t hash, size_t index)
{
    size_t at = (size_t)hash & (nslots - 1);
    while (slots[at] != 0)
        at = (at + 1) & (nslots - 1);
    slots[at] = (uint32_t)(index + 1);
}

static bool bytes_find(const ia_bytemap *m, uint64_t hash, const void *key, size_t len,
                       size_t *index)
{
    if (m->nslots == 0)
        return false;
    for (size_t at = (size_t)hash & (m->nslots - 1); m->slots[at] != 0;
         at = (at + 1) & (m->nslots - 1)) {
        const ia_bytemap_entry *e = &m->entries[m->slots[at] - 1];
        if (e->hash == hash && e->key_len == len &&
            (len == 0 || memcmp(m->pool + e->key_off, key, len) == 0)) {
            *index = m->slots[at] - 1;
            return true;
        }
    }
    return false;
}

bool ia_bytemap_find(const ia_bytemap *m, const void *key, size_t len, size_t *index)
{
    size_t found;
    if (!bytes_find(m, ia_hash_bytes(key, len), key, len, &found))
        return false;
    if (index)
        *index = found;
    return true;
}

static ia_status bytes_rehash(ia_ctx *cx, ia_bytemap *m)
{
    const size_t nslots = slots_wanted(m->n, m->nslots);
    uint32_t *slots = NULL;

    if (nslots == 0)
        return IA_OK;
    IA_TRY(IA_NEW_ARRAY(cx, slots, nslots));
    for (size_t i = 0; i < m->n; i++)
        slot_insert(slots, nslots, m->entries[i].hash, i);
    ia_free(m->slots);
    m->slots = slots;
    m->nslots = nslots;
    return IA_OK;
}

ia_status ia_bytemap_put(ia_ctx *cx, ia_bytemap *m, const void *key, size_t len, size_t *index,
                         bool *added)
{
    const uint64_t hash = ia_hash_bytes(key, len);
    size_t found = 0, pool_need;
    const bool fresh = !bytes_find(m, hash, key, len, &found);

    if (fresh) {
        if (len > UINT32_MAX || !ia_add_size(&pool_need, m->pool_len, len))
            return ia_fail(cx, IA_ERR_UNSUPPORTED, "a map key of %zu bytes", len);
        IA_TRY(check_full(cx, m->n));
        IA_TRY(IA_GROW(cx, m->pool, m->pool_cap, pool_need));
        IA_TRY(IA_GROW(cx, m->entries, m->cap, m->n + 1));
        IA_TRY(bytes_rehash(cx, m));
        found = m->n++;
        m->entries[found] = (ia_bytemap_entry){hash, m->pool_len, (uint32_t)len, 0};
        if (len > 0)
            memcpy(m->pool + m->pool_len, key, len);
        m->pool_len = pool_need;
        slot_insert(m->slots, m->nslots, hash, found);
    }
    if (index)
        *index = found;
    if (added)
        *added = fresh;
    return IA_OK;
}

ia_view ia_bytemap_key(const ia_bytemap *m, size_t index)
{
    const ia_bytemap_entry *e = &m->entries[index];
    return (ia_view){e->key_len > 0 ? (const char *)m->pool + e->key_off : "", e->key_len};
}

static int by_key(const void *a, const void *b, void *map)
{
    const ia_view x = ia_bytemap_key(map, *(const size_t *)a);
    const ia_view y = ia_bytemap_key(map, *(const size_t *)b);
    return ia_view_cmp(x, y);
}

ia_status ia_bytemap_sorted(ia_ctx *cx, const ia_bytemap *m, size_t **out)
{
    *out = NULL;
    if (m->n == 0)
        return IA_OK;
    IA_TRY(IA_NEW_ARRAY(cx, *out, m->n));
    for (size_t i = 0; i < m->n; i++)
        (*out)[i] = i;
    ia_bytemap reader = *m;
    qsort_r(*out, m->n, sizeof **out, by_key, &reader);
    return IA_OK;
}

void ia_bytemap_dispose(ia_bytemap *m)
{
    if (!m)
        return;
    ia_free(m->entries);
    ia_free(m->slots);
    ia_free(m->pool);
    *m = (ia_bytemap){0};
}

static ia_u64pair *pair_find(const ia_u64map *m, uint64_t key)
{
    if (m->nslots == 0)
        return NULL;
    for (size_t at = (size_t)ia_hash_u64(key) & (m->nslots - 1); m->slots[at] != 0;
         at = (at + 1) & (m->nslots - 1))
        if (m->entries[m->slots[at] - 1].key == key)
            return &m->entries[m->slots[at] - 1];
    return NULL;
}

bool ia_u64map_find(const ia_u64map *m, uint64_t key, uint64_t *value)
{
    const ia_u64pair *p = pair_find(m, key);
    if (p && value)
        *value = p->value;
    return p != NULL;
}

static ia_status pair_rehash(ia_ctx *cx, ia_u64map *m)
{
    const size_t nslots = slots_wanted(m->n, m->nslots);
    uint32_t *slots = NULL;

    if (nslots == 0)
        return IA_OK;
    IA_TRY(IA_NEW_ARRAY(cx, slots, nslots));
    for (size_t i = 0; i < m->n; i++)
        slot_insert(slots, nslots, ia_hash_u64(m->entries[i].key), i);
    ia_free(m->slots);
    m->slots = slots;
    m->nslots = nslots;
    return IA_OK;
}

ia_status ia_u64map_put(ia_ctx *cx, ia_u64map *m, uint64_t key, uint64_t value)
{
    ia_u64pair *p = pair_find(m, key);
    if (p) {
        p->value = value;
        return IA_OK;
    }
    IA_TRY(check_full(cx, m->n));
    IA_TRY(IA_GROW(cx, m->entries, m->cap, m->n + 1));
    IA_TRY(pair_rehash(cx, m));
    m->entries[m->n] = (ia_u64pair){key, value};
    slot_insert(m->slots, m->nslots, ia_hash_u64(key), m->n);
    m->n++;
    return IA_OK;
}

void ia_u64map_dispose(ia_u64map *m)
{
    if (!m)
        return;
    ia_free(m->entries);
    ia_free(m->slots);
    *m = (ia_u64map){0};
}
