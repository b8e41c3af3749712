/* array.h - columns and batches: immutable, counted, Arrow memory layout. */
#ifndef IA_ARROW_ARRAY_H
#define IA_ARROW_ARRAY_H

#include "arrow/types.h"
#include "inarch/arrow_abi.h"

/* Counted bytes; freed with free_fn, or by releasing the parent, or else by ia_free(data).
 * Threads: safe to share. */
typedef struct ia_buffer {
    _Atomic int32_t refs;
    const uint8_t *data;
    size_t size;
    void (*free_fn)(void *owner);
    void *owner;
    struct ia_buffer *parent; /* this one shows part of it; retained */
} ia_buffer;

/* Takes over `data` (from ia_alloc). On failure data is freed. */
ia_status ia_buffer_own(ia_ctx *cx, void *data, size_t size, ia_buffer **out) IA_MUST_CHECK;
ia_buffer *ia_buffer_retain(ia_buffer *b);
void ia_buffer_release(ia_buffer *b);
/* A buffer that shows n bytes at p, inside of `whole`, and keeps it alive. */
ia_status ia_buffer_part(ia_ctx *cx, ia_buffer *whole, const uint8_t *p, size_t n,
                         ia_buffer **out) IA_MUST_CHECK;
/* Its bytes no longer count against a budget: they were handed to the caller of the library. */
void ia_buffer_uncharge(const ia_buffer *b);
ia_buffer *ia_buffer_zeros(void); /* a static block of 64 zero bytes, never freed */

/* Layout as in the Arrow specification:
 *   fixed width    bufs[1] = values          BOOL   bufs[1] = bits, LSB first
 *   string/binary  bufs[1] = offsets (i32 or i64), bufs[2] = bytes
 *   list, map      bufs[1] = offsets, child 0
 *   FIXED_LIST     child 0 (offset * size applies)
 *   struct         children
 *   DICTIONARY     bufs[1] = indices, child 0 = values
 * bufs[0] = validity bits (1 = valid), NULL = all valid. NULL type: length only.
 * `offset` counts elements and applies to bufs and, for struct, to the children as well (a child's
 * own offset adds to it). Immutable once built. */
typedef struct ia_array {
    _Atomic int32_t refs;
    ia_type *type;
    int64_t length;
    int64_t offset;
    int64_t null_count; /* exact, never -1 */
    ia_buffer *bufs[3];
    struct ia_array **children;
    size_t n_children;
} ia_array;

typedef struct ia_batch {
    _Atomic int32_t refs;
    ia_schema *schema;
    int64_t rows;
    ia_array **cols; /* schema->n_fields */
} ia_batch;

ia_array *ia_array_retain(const ia_array *a);
void ia_array_release(ia_array *a);
/* Assembles from parts; retains type, takes over the buffer and child references (also on failure).
 * null_count < 0 = count it. */
ia_status ia_array_make(ia_ctx *cx, const ia_type *type, int64_t length, int64_t null_count,
                        ia_buffer *validity, ia_buffer *b1, ia_buffer *b2, ia_array **children,
                        size_t n_children, ia_array **out) IA_MUST_CHECK;
/* Elements [start, start+len) without copying. */
ia_status ia_array_slice(ia_ctx *cx, const ia_array *a, int64_t start, int64_t len,
                         ia_array **out) IA_MUST_CHECK;
/* `n` nulls of a type. */
ia_status ia_array_nulls(ia_ctx *cx, const ia_type *type, int64_t n, ia_array **out) IA_MUST_CHECK;
/* Sizes checked against the type (IA_VALIDATE_SIZES), plus offsets and UTF-8 (FULL). Errors:
 * INVALID. */
typedef enum ia_validate_level { IA_VALIDATE_SIZES = 0, IA_VALIDATE_FULL } ia_validate_level;
ia_status ia_array_validate(ia_ctx *cx, const ia_array *a, ia_validate_level level) IA_MUST_CHECK;

ia_batch *ia_batch_retain(const ia_batch *b);
void ia_batch_release(ia_batch *b);
/* Retains schema; takes over the column references (also on failure); cols itself is copied. */
ia_status ia_batch_make(ia_ctx *cx, const ia_schema *schema, int64_t rows, ia_array **cols,
                        ia_batch **out) IA_MUST_CHECK;
ia_status ia_batch_slice(ia_ctx *cx, const ia_batch *b, int64_t start, int64_t len,
                         ia_batch **out) IA_MUST_CHECK;
/* Column by name, NULL when absent; borrowed. */
const ia_array *ia_batch_col(const ia_batch *b, const char *name);
/* Bytes of buffers that the batch's values occupy (slices count only their part). */
uint64_t ia_batch_bytes(const ia_batch *b);
uint64_t ia_array_bytes(const ia_array *a);

/* ---- element access; i counts from the array's start (offset is added here) ---------------- */
static inline bool ia_bit_get(const uint8_t *p, int64_t i) { return (p[i >> 3] >> (i & 7)) & 1; }
static inline void ia_bit_set(uint8_t *p, int64_t i) { p[i >> 3] |= (uint8_t)(1u << (i & 7)); }
static inline void ia_bit_clear(uint8_t *p, int64_t i) { p[i >> 3] &= (uint8_t)~(1u << (i & 7)); }
static inline bool ia_array_valid(const ia_array *a, int64_t i)
{
    if (a->type->id == IA_TYPE_NULL)
        return false;
    return !a->bufs[0] || ia_bit_get(a->bufs[0]->data, a->offset + i);
}
/* Start of fixed-width values, offset applied; not for BOOL. */
const void *ia_array_values(const ia_array *a);
bool ia_array_bool(const ia_array *a, int64_t i);
int64_t ia_array_i64(const ia_array *a, int64_t i);   /* int, date, time; U64 reinterpreted */
uint64_t ia_array_u64(const ia_array *a, int64_t i);
double ia_array_f64(const ia_array *a, int64_t i);    /* any int or float type */
ia_view ia_array_str(const ia_array *a, int64_t i);   /* string/binary/fixed binary; borrowed */
/* Items of list element i: child elements [*start, *start + *len) of children[0], to be read
 * through the accessors above on that child. */
void ia_array_list(const ia_array *a, int64_t i, int64_t *start, int64_t *len);

/* ---- Arrow C interface --------------------------------------------------------------------- */
ia_status ia_export_schema(ia_ctx *cx, const ia_schema *s, struct ArrowSchema *out) IA_MUST_CHECK;
/* As a struct array. The values it shares are the caller's from now on: ia_buffer_uncharge. */
ia_status ia_export_batch(ia_ctx *cx, const ia_batch *b, struct ArrowArray *out) IA_MUST_CHECK;
ia_status ia_import_schema(ia_ctx *cx, const struct ArrowSchema *in, ia_schema **out) IA_MUST_CHECK;
/* Takes over *in (its release becomes NULL) on success and on failure. Zero copy. */
ia_status ia_import_batch(ia_ctx *cx, struct ArrowArray *in, const ia_schema *s,
                          ia_batch **out) IA_MUST_CHECK;

/* A pull source of batches: next gives NULL at the end. */
typedef struct ia_stream {
    ia_schema *schema;
    ia_status (*next)(ia_ctx *cx, struct ia_stream *s, ia_batch **out);
    void (*close)(struct ia_stream *s); /* frees private part; NULL allowed */
    void *self;
} ia_stream;
ia_status ia_stream_next(ia_ctx *cx, ia_stream *s, ia_batch **out) IA_MUST_CHECK;
void ia_stream_dispose(ia_stream *s);
/* Import takes over *in. */
ia_status ia_import_stream(ia_ctx *cx, struct ArrowArrayStream *in, ia_stream *out) IA_MUST_CHECK;
/* Export moves *s into *out; the stream runs with a context over `budget` (retained). */
ia_status ia_export_stream(ia_ctx *cx, ia_stream *s, struct ArrowArrayStream *out) IA_MUST_CHECK;

#endif
