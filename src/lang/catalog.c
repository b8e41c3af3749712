/* catalog.c - lifetime of a catalog and lookups in it. */
#include "lang/schema/schema_priv.h"

ia_catalog *ia_catalog_retain(const ia_catalog *c)
{
    ia_catalog *m = (ia_catalog *)(uintptr_t)c;

    if (m)
        atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
    return m;
}

static void release_type(ia_type_def *t)
{
    size_t i;

    ia_schema_release(t->arrow_schema);
    for (i = 0; i < t->n_checks; i++)
        ia_pattern_free(t->checks[i].code);
}

void ia_catalog_release(ia_catalog *c)
{
    size_t i;

    if (!c || atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (c->own) {
        for (i = 0; c->own->tables && i < c->n_types; i++)
            release_type(&c->own->tables[i]);
        ia_arena_dispose(&c->own->arena);
    }
    ia_free(c->own);
    ia_free(c);
}

static const ia_type_def *find_sorted(const ia_type_def *const *list, size_t n, const char *name)
{
    size_t lo = 0, hi = n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int d = strcmp(list[mid]->name, name);
        if (d == 0)
            return list[mid];
        if (d < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

const ia_type_def *ia_catalog_node(const ia_catalog *c, const char *name)
{
    return find_sorted(c->types, c->n_nodes, name);
}

const ia_type_def *ia_catalog_edge(const ia_catalog *c, const char *name)
{
    return c->n_types > c->n_nodes
               ? find_sorted(c->types + c->n_nodes, c->n_types - c->n_nodes, name)
               : NULL;
}

const ia_type_def *ia_catalog_edge_word(const ia_catalog *c, const char *name)
{
    const ia_type_def *t = ia_catalog_edge(c, name);
    size_t i;

    for (i = c->n_nodes; !t && i < c->n_types; i++)
        if (ia_str_eq_nocase(c->types[i]->name, name))
            t = c->types[i];
    return t;
}

const ia_type_def *ia_catalog_by_id(const ia_catalog *c, uint64_t type_id)
{
    size_t i;

    for (i = 0; i < c->n_types; i++)
        if (c->types[i]->type_id == type_id)
            return c->types[i];
    return NULL;
}

int ia_type_def_find(const ia_type_def *t, const char *name)
{
    size_t lo = 0, hi = t->n_properties;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int d = strcmp(t->properties[mid].name, name);
        if (d == 0)
            return (int)mid;
        if (d < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return -1;
}

bool ia_type_def_is_key(const ia_type_def *t, int prop)
{
    size_t i;

    for (i = 0; i < t->n_key; i++)
        if (t->key[i] == prop)
            return true;
    return false;
}

bool ia_property_has_enum(const ia_property *p, const char *value, size_t len)
{
    size_t i;

    for (i = 0; i < p->n_enum; i++)
        if (strlen(p->enum_values[i]) == len && memcmp(p->enum_values[i], value, len) == 0)
            return true;
    return false;
}
