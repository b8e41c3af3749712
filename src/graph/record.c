/* record.c - the graph's small JSON files: strict reading, put-if-absent, names that count down. */
#include "graph/graph_priv.h"

#include <inttypes.h>
#include <stdio.h>

static ia_status bad(const ia_rec *r, const char *name, const char *what)
{
    return ia_fail(r->cx, IA_ERR_CORRUPT, "%s: member \"%s\" %s", r->path, name, what);
}

ia_status ia_rec_begin(ia_ctx *cx, const ia_json *v, const char *path, ia_rec *r)
{
    *r = (ia_rec){.cx = cx, .obj = v, .path = path};
    if (ia_json_type(v) != IA_JSON_OBJECT)
        return ia_fail(cx, IA_ERR_CORRUPT, "%s: a JSON object was expected", path);
    return IA_OK;
}

/* ia_json_get() gives NULL for an absent member and a value of kind null for a present one. */
ia_status ia_rec_any(ia_rec *r, const char *name, const ia_json **out)
{
    const ia_json *v = ia_json_get(r->obj, name);

    *out = NULL;
    if (!v)
        return bad(r, name, "is missing");
    r->seen++;
    if (ia_json_type(v) != IA_JSON_NULL)
        *out = v;
    return IA_OK;
}

ia_status ia_rec_str(ia_rec *r, const char *name, bool nullable, const char **out)
{
    const ia_json *v;
    const char *s;
    size_t len;

    *out = NULL;
    IA_TRY(ia_rec_any(r, name, &v));
    if (!v)
        return nullable ? IA_OK : bad(r, name, "is null");
    s = ia_json_str(v, &len);
    if (!s)
        return bad(r, name, "is not a string");
    if (strlen(s) != len)
        return bad(r, name, "holds a zero byte");
    *out = s;
    return IA_OK;
}

ia_status ia_rec_ulid(ia_rec *r, const char *name, bool may_be_empty, char out[IA_ULID_LEN + 1])
{
    const char *s;

    out[0] = 0;
    IA_TRY(ia_rec_str(r, name, false, &s));
    if (s[0] == 0 && may_be_empty)
        return IA_OK;
    if (!ia_ulid_valid(s))
        return bad(r, name, "is not an id");
    memcpy(out, s, IA_ULID_LEN + 1);
    return IA_OK;
}

ia_status ia_rec_dup(ia_rec *r, const char *name, bool nullable, char **out)
{
    const char *s;

    *out = NULL;
    IA_TRY(ia_rec_str(r, name, nullable, &s));
    return s ? IA_SET(r->cx, *out, ia_strdup(r->cx, s)) : IA_OK;
}

ia_status ia_rec_u64(ia_rec *r, const char *name, uint64_t *out)
{
    const ia_json *v;

    *out = 0;
    IA_TRY(ia_rec_any(r, name, &v));
    return v && ia_json_u64(v, out) ? IA_OK : bad(r, name, "is not a whole number of 64 bits");
}

ia_status ia_rec_i64(ia_rec *r, const char *name, int64_t *out)
{
    const ia_json *v;

    *out = 0;
    IA_TRY(ia_rec_any(r, name, &v));
    return v && ia_json_i64(v, out) ? IA_OK : bad(r, name, "is not a signed number of 64 bits");
}

ia_status ia_rec_array(ia_rec *r, const char *name, const ia_json **out, size_t *n)
{
    *n = 0;
    IA_TRY(ia_rec_any(r, name, out));
    if (!*out || ia_json_type(*out) != IA_JSON_ARRAY)
        return bad(r, name, "is not an array");
    *n = ia_json_len(*out);
    return IA_OK;
}

ia_status ia_rec_end(ia_rec *r)
{
    if (ia_json_len(r->obj) != r->seen)
        return ia_fail(r->cx, IA_ERR_CORRUPT,
                       "%s: %zu member(s) that this format number does not have", r->path,
                       ia_json_len(r->obj) - r->seen);
    return IA_OK;
}

ia_status ia_rec_load(ia_ctx *cx, ia_objstore *os, const char *path, ia_json **out)
{
    ia_bytes raw = {0};
    ia_status st;

    *out = NULL;
    IA_GO(ia_objstore_get(cx, os, path, &raw));
    st = ia_json_parse(cx, (const char *)raw.data, raw.len, out);
    if (st == IA_ERR_INVALID)
        st = ia_fail_prefix(cx, IA_ERR_CORRUPT, "%s", path);
done:
    ia_bytes_dispose(&raw);
    return st;
}

ia_status ia_rec_put(ia_ctx *cx, const ia_graph *g, const char *path, const void *data, size_t len)
{
    return ia_objstore_put(cx, g->os, path, data, len, IA_PUT_IF_ABSENT | ia_graph_put_flags(g));
}

ia_status ia_path_there(ia_ctx *cx, ia_objstore *os, const char *path, bool *out)
{
    ia_objmeta meta;
    const ia_status st = ia_objstore_head(cx, os, path, &meta);

    *out = st == IA_OK;
    if (st == IA_ERR_NOT_FOUND) {
        ia_ctx_clear(cx);
        return IA_OK;
    }
    return st;
}

void ia_rev_name(uint64_t n, char out[32])
{
    (void)snprintf(out, 32, "%020" PRIu64 ".json", UINT64_MAX - n);
}

bool ia_rev_parse(const char *name, uint64_t *n)
{
    uint64_t v = 0;

    *n = 0;
    if (strlen(name) != 25 || strcmp(name + 20, ".json") != 0)
        return false;
    for (int i = 0; i < 20; i++) {
        const unsigned d = (unsigned)(unsigned char)name[i] - '0';
        if (d > 9 || !ia_mul_u64(&v, v, 10) || !ia_add_u64(&v, v, d))
            return false;
    }
    *n = UINT64_MAX - v;
    return true;
}

ia_status ia_rev_newest(ia_ctx *cx, ia_objstore *os, const char *dir, bool *found, uint64_t *n)
{
    ia_objlist l = {0};
    ia_status st;

    *found = false;
    *n = 0;
    IA_GO(ia_objstore_list(cx, os, dir, NULL, 1, &l));
    if (l.n > 0 && !ia_rev_parse(l.names[0], n))
        IA_GO(ia_fail(cx, IA_ERR_CORRUPT,
                      "%s/%s does not belong here: names are 20 digits and \".json\"", dir,
                      l.names[0]));
    *found = l.n > 0;
done:
    ia_objlist_dispose(&l);
    return st;
}
