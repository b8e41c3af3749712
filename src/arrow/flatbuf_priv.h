/* flatbuf_priv.h - the flatbuffers of Arrow messages, read and written by hand. */
#ifndef IA_ARROW_FLATBUF_PRIV_H
#define IA_ARROW_FLATBUF_PRIV_H

#include "base/str.h"

/* A table starts with a signed distance back to its vtable; the vtable holds its own size, the
 * table's size and one place per field (0 = absent); a reference is an unsigned distance forward. A
 * reader keeps the first violation in `bad` and answers 0 after. */
typedef struct ia_fb {
    const uint8_t *p;
    size_t n;
    bool bad;
} ia_fb;

typedef struct ia_fbt {
    size_t at, size;    /* table */
    size_t vt, vt_size; /* vtable; size 0 = no table */
} ia_fbt;

bool ia_fb_inside(ia_fb *f, size_t at, size_t len);
ia_fbt ia_fb_root(ia_fb *f);
ia_fbt ia_fb_table_at(ia_fb *f, size_t at);
/* Place of field k with `width` bytes; 0 when absent. */
size_t ia_fb_field(ia_fb *f, const ia_fbt *t, size_t k, size_t width);
/* Width 1 is unsigned, the others are signed. */
int64_t ia_fb_int(ia_fb *f, const ia_fbt *t, size_t k, size_t width, int64_t absent);
size_t ia_fb_ref(ia_fb *f, const ia_fbt *t, size_t k); /* target of reference k; 0 when absent */
ia_fbt ia_fb_table(ia_fb *f, const ia_fbt *t, size_t k);
/* First item of vector k (0 when absent) and their number. */
size_t ia_fb_vector(ia_fb *f, const ia_fbt *t, size_t k, size_t item, size_t *count);
ia_fbt ia_fb_item(ia_fb *f, size_t vector, size_t i);   /* table i of a vector of tables */
ia_view ia_fb_str(ia_fb *f, const ia_fbt *t, size_t k); /* empty when absent */

/* A buffer under construction grows from its end towards its start; a place is named by its
 * distance from the end, which does not change as more is put in front. All-zero is empty. A
 * failure is remembered; check it with ia_fbw_status. */
typedef struct ia_fbw {
    ia_ctx *cx;
    uint8_t *buf;
    size_t cap, head;  /* first byte in use */
    uint16_t slots[8]; /* places of the open table's fields relative to table_end, 0 = absent */
    size_t n_slots;
    size_t table_end; /* place where the open table began */
    ia_status failed;
} ia_fbw;

void ia_fbw_dispose(ia_fbw *w);
ia_status ia_fbw_status(const ia_fbw *w) IA_MUST_CHECK;
static inline size_t ia_fbw_place(const ia_fbw *w)
{
    return w->cap - w->head;
}
static inline const uint8_t *ia_fbw_data(const ia_fbw *w)
{
    return w->buf + w->head;
}
/* Tables do not nest: what they refer to is written before. */
void ia_fbw_begin(ia_fbw *w);
void ia_fbw_num(ia_fbw *w, size_t k, uint64_t v, size_t width); /* field k */
void ia_fbw_ref(ia_fbw *w, size_t k, size_t to);                /* field k refers to a place */
size_t ia_fbw_end(ia_fbw *w);                                   /* the table's place */
size_t ia_fbw_str(ia_fbw *w, const char *s, size_t n);
size_t ia_fbw_refs(ia_fbw *w, const size_t *to, size_t n); /* vector of references */
/* Vector of `count` structs made of n 64-bit numbers in all. */
size_t ia_fbw_u64s(ia_fbw *w, const uint64_t *v, size_t n, size_t count);
void ia_fbw_finish(ia_fbw *w, size_t root); /* size becomes a multiple of 8 */

#endif
