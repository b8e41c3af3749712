/* fuzz_json.c - JSON text: parsed, walked, written back, parsed again. */
#include "fuzz.h"

static void write_value(ia_jsonw *w, const ia_json *v);

static void write_number(ia_jsonw *w, const ia_json *v)
{
    int64_t i;
    uint64_t u;
    double f;

    if (ia_json_i64(v, &i)) {
        ia_jsonw_i64(w, i);
    } else if (ia_json_u64(v, &u)) {
        ia_jsonw_u64(w, u);
    } else {
        FUZZ_CHECK(ia_json_f64(v, &f));
        ia_jsonw_f64(w, f);
    }
}

static void write_members(ia_jsonw *w, const ia_json *v)
{
    size_t it = 0, n = 0;
    const char *name;
    const ia_json *value;

    ia_jsonw_object(w);
    while (ia_json_next(v, &it, &name, &value)) {
        const ia_json *found = ia_json_get(v, name);
        FUZZ_CHECK(found == value || strlen(name) == 0 || found != NULL);
        ia_jsonw_key(w, name);
        write_value(w, value);
        n++;
    }
    FUZZ_CHECK(n == ia_json_len(v));
    ia_jsonw_end_object(w);
}

/* Depth is bounded by the parser. */
static void write_value(ia_jsonw *w, const ia_json *v)
{
    size_t len;
    const char *s;

    switch (ia_json_type(v)) {
    case IA_JSON_NULL:
        ia_jsonw_null(w);
        break;
    case IA_JSON_FALSE:
    case IA_JSON_TRUE:
        ia_jsonw_bool(w, ia_json_type(v) == IA_JSON_TRUE);
        break;
    case IA_JSON_INT:
    case IA_JSON_REAL:
        write_number(w, v);
        break;
    case IA_JSON_STRING:
        s = ia_json_str(v, &len);
        FUZZ_CHECK(s != NULL);
        ia_jsonw_strn(w, s, len);
        break;
    case IA_JSON_ARRAY:
        ia_jsonw_array(w);
        for (size_t i = 0; i < ia_json_len(v); i++)
            write_value(w, ia_json_at(v, i));
        FUZZ_CHECK(ia_json_at(v, ia_json_len(v)) == NULL);
        ia_jsonw_end_array(w);
        break;
    case IA_JSON_OBJECT:
        write_members(w, v);
        break;
    }
}

static bool written(fuzz_run *r, const ia_json *v, int indent, ia_bytes *out)
{
    ia_jsonw w;
    bool ok;

    ia_jsonw_init(&w, &r->cx, indent);
    write_value(&w, v);
    ok = fuzz_must(r, ia_jsonw_finish(&w, out), "what was parsed can be written:");
    ia_jsonw_dispose(&w);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    ia_json *v = NULL, *again = NULL;
    ia_bytes first = {0}, pretty = {0}, second = {0};

    fuzz_begin(&r);
    if (fuzz_ok(&r, ia_json_parse(&r.cx, (const char *)data, size, &v)) &&
        written(&r, v, 0, &first) && written(&r, v, 2, &pretty) &&
        fuzz_must(&r, ia_json_parse(&r.cx, (const char *)pretty.data, pretty.len, &again),
                  "what was written can be parsed:") &&
        written(&r, again, 0, &second))
        FUZZ_CHECK(fuzz_same(&first, &second));
    ia_bytes_dispose(&first);
    ia_bytes_dispose(&pretty);
    ia_bytes_dispose(&second);
    ia_json_free(v);
    ia_json_free(again);
    fuzz_end(&r);
    return 0;
}
