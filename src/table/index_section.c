/* index_section.c - the index section that manifests carry: kept, cut down, adopted by forks. */
#include "table/table_priv.h"

typedef struct index_entry {
    ia_view raw; /* the IndexMetadata message; borrowed from the section */
    char uuid[IA_UUID_LEN + 1];
    bool has_base, system, fields_gone;
    uint32_t base_id;
    ia_strlist files; /* below _indices/{uuid}/ */
} index_entry;

static void entry_dispose(index_entry *e)
{
    ia_strlist_dispose(&e->files);
    memset(e, 0, sizeof *e);
}

static bool field_exists(const ia_lschema *ls, int32_t id)
{
    for (size_t i = 0; i < ls->n; i++) {
        if (ls->fields[i].id == id)
            return true;
    }
    return false;
}

static void read_uuid(ia_wire *w, index_entry *e)
{
    ia_wire sub;
    ia_wire_sub(w, &sub);
    while (ia_wire_next(&sub)) {
        const ia_view v = ia_wire_view(&sub);
        ia_uuid u;
        if (sub.number != 1 || v.len != sizeof u.bytes)
            continue;
        memcpy(u.bytes, v.data, v.len);
        ia_uuid_format(&u, e->uuid);
    }
}

static ia_status read_file(ia_ctx *cx, ia_wire *w, index_entry *e)
{
    ia_wire sub;
    ia_wire_sub(w, &sub);
    while (ia_wire_next(&sub)) {
        const ia_view v = sub.number == 1 ? ia_wire_view(&sub) : (ia_view){0};
        if (v.len)
            IA_TRY(ia_strlist_addn(cx, &e->files, v.data, v.len));
    }
    return ia_wire_done(cx, &sub, "index file");
}

static ia_status read_entry(ia_ctx *cx, ia_view raw, const ia_lschema *ls, index_entry *e)
{
    ia_wire w;
    int32_t *ids = NULL;
    size_t n = 0, cap = 0;
    ia_status st = IA_OK;

    memset(e, 0, sizeof *e);
    e->raw = raw;
    ia_wire_init(&w, (const uint8_t *)raw.data, raw.len);
    while (ia_wire_next(&w)) {
        if (w.number == 1) {
            read_uuid(&w, e);
        } else if (w.number == 2) {
            IA_GO(ia_wire_i32s(cx, &w, &ids, &n, &cap));
        } else if (w.number == 3) {
            e->system = ia_view_starts_with(ia_wire_view(&w), "__lance_");
        } else if (w.number == 9) {
            e->has_base = true;
            e->base_id = ia_wire_u32(&w);
        } else if (w.number == 10) {
            IA_GO(read_file(cx, &w, e));
        }
    }
    IA_GO(ia_wire_done(cx, &w, "index entry"));
    for (size_t i = 0; i < n; i++)
        e->fields_gone = e->fields_gone || !field_exists(ls, ids[i]);
done:
    ia_free(ids);
    return st;
}

/* The entry's members, with the base as asked (base < 0: none). */
static void put_entry(ia_ctx *cx, ia_buf *b, const index_entry *e, int64_t base)
{
    const size_t mark = ia_wire_begin(cx, b, 1);
    ia_wire w;
    ia_wire_init(&w, (const uint8_t *)e->raw.data, e->raw.len);
    while (ia_wire_next(&w)) {
        if (w.number != 9)
            ia_buf_put(cx, b, w.raw, w.raw_len);
    }
    if (base >= 0)
        ia_wire_add_varint(cx, b, 9, (uint64_t)base);
    ia_wire_end(cx, b, mark);
}

/* What to do with an entry: *keep false drops it; *base is its base afterwards. */
typedef ia_status (*entry_fn)(ia_ctx *cx, void *self, const index_entry *e, bool *keep,
                              int64_t *base);

static ia_status rewrite(ia_ctx *cx, ia_manifest *m, entry_fn fn, void *self)
{
    ia_buf b = {0};
    index_entry e = {0};
    ia_wire w;
    ia_status st = IA_OK;

    if (m->indices.len == 0)
        return IA_OK;
    ia_wire_init(&w, m->indices.data, m->indices.len);
    while (ia_wire_next(&w)) {
        bool keep = true;
        int64_t base;
        if (w.number != 1) {
            ia_buf_put(cx, &b, w.raw, w.raw_len);
            continue;
        }
        IA_GO(read_entry(cx, ia_wire_view(&w), &m->schema, &e));
        base = e.has_base ? (int64_t)e.base_id : -1;
        IA_GO(fn(cx, self, &e, &keep, &base));
        if (keep)
            put_entry(cx, &b, &e, base);
        entry_dispose(&e);
    }
    IA_GO(ia_wire_done(cx, &w, "index section"));
    IA_GO(ia_buf_status(&b));
    ia_bytes_dispose(&m->indices);
    if (b.len)
        IA_GO(ia_buf_finish(&b, &m->indices));
done:
    entry_dispose(&e);
    ia_buf_dispose(&b);
    return st;
}

static ia_status retain_entry(ia_ctx *cx, void *self, const index_entry *e, bool *keep,
                              int64_t *base)
{
    (void)cx;
    (void)self;
    (void)base;
    *keep = e->system || !e->fields_gone;
    return IA_OK;
}

ia_status ia_indices_retain(ia_ctx *cx, ia_manifest *m)
{
    return rewrite(cx, m, retain_entry, NULL);
}

/* ---- forks ------------------------------------------------------------------------------------
 */

typedef struct adopter {
    const ia_dataset *src;
    const char *dir; /* tree of the fork */
    uint32_t base;   /* of src in the fork's manifest */
} adopter;

static ia_status adopt_file(ia_ctx *cx, ia_objstore *os, const char *from, const char *to)
{
    ia_status st = ia_objstore_touch(cx, os, from); /* sweepers go by age */
    if (st == IA_OK)
        st = ia_objstore_link(cx, os, from, to);
    if (st == IA_ERR_UNSUPPORTED)
        st = ia_objstore_copy(cx, os, from, to, IA_IO_META, IA_PUT_SYNC);
    if (st == IA_ERR_EXISTS)
        st = IA_OK; /* of an earlier attempt; index files never change */
    if (st != IA_OK)
        return st;
    ia_ctx_clear(cx);
    return ia_objstore_sync(cx, os, to);
}

static ia_status adopt_files(ia_ctx *cx, const adopter *a, const index_entry *e)
{
    char *tree = NULL, *from = NULL, *to = NULL;
    ia_status st;

    IA_GO(ia_dataset_tree(cx, a->src, e->has_base, e->base_id, &tree));
    for (size_t i = 0; i < e->files.n; i++) {
        IA_GO(ia_path_join(cx, &from, tree, "_indices", e->uuid, e->files.items[i], NULL));
        IA_GO(ia_path_join(cx, &to, a->dir, "_indices", e->uuid, e->files.items[i], NULL));
        IA_GO(adopt_file(cx, a->src->os, from, to));
        ia_free(from);
        ia_free(to);
        from = to = NULL;
    }
done:
    ia_free(tree);
    ia_free(from);
    ia_free(to);
    return st;
}

static ia_status adopt_entry(ia_ctx *cx, void *self, const index_entry *e, bool *keep,
                             int64_t *base)
{
    const adopter *a = self;
    ia_status st = IA_ERR_NOT_FOUND;
    (void)keep;
    if (e->files.n && e->uuid[0])
        st = adopt_files(cx, a, e);
    if (st == IA_OK) {
        *base = -1;
        return IA_OK;
    }
    if (st != IA_ERR_NOT_FOUND)
        return st;
    ia_ctx_clear(cx); /* nothing to link: read through the base, as data files are */
    *base = e->has_base ? (int64_t)e->base_id : (int64_t)a->base;
    return IA_OK;
}

ia_status ia_indices_adopt(ia_ctx *cx, ia_manifest *m, const ia_dataset *src, const char *dir,
                           uint32_t base)
{
    adopter a = {src, dir, base};
    return rewrite(cx, m, adopt_entry, &a);
}
