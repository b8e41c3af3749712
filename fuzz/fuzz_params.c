/* fuzz_params.c - query parameters as JSON: parsed to their types, evaluated, fitted to columns. */
#include "fuzz.h"

static const char query_text[] =
    "query q($s: String, $i: I32, $l: I64, $u: U32, $w: U64, $f: F64, $g: F32, $b: Bool, $d: Date,"
    " $t: DateTime, $ls: [I32], $v: Vector(3), $o: String?, $n: I32?, $lf: [F64]?)"
    " { match { $p: Person { name: $s } }"
    " return { $s, $i, $l, $u, $w, $f, $g, $b, $d, $t, $ls, $v, $o, $n, $lf } }";

static void fit(fuzz_run *r, const ia_gq_value *v)
{
    const ia_type_def *person = ia_catalog_node(fuzz_catalog(), "Person");
    ia_arena arena = {0};

    for (size_t k = 0; k < person->n_properties; k++) {
        ia_gq_value fitted;
        (void)fuzz_ok(r,
                      ia_gq_coerce(&r->cx, &arena, &person->properties[k], "Person.x", v, &fitted));
    }
    ia_arena_dispose(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ia_catalog *cat = fuzz_catalog();
    fuzz_run r;
    ia_gq_query *q = NULL;
    ia_params *p = NULL;

    fuzz_begin(&r);
    if (fuzz_must(&r, ia_gq_compile(&r.cx, cat, query_text, strlen(query_text), "f.gq", NULL, &q),
                  "the query compiles:") &&
        fuzz_ok(&r, ia_params_parse(&r.cx, q, (const char *)data, size, &p))) {
        FUZZ_CHECK(p->n == q->n_params);
        for (size_t i = 0; i < q->n_projections; i++) {
            ia_gq_value v;
            if (fuzz_ok(&r, ia_gq_eval(&r.cx, p, &q->projections[i].expr, &v)))
                fit(&r, &v);
        }
    }
    ia_params_free(p);
    ia_gq_query_free(q);
    fuzz_end(&r);
    return 0;
}
