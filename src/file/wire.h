/* wire.h - reads and writes protobuf wire bytes: a bounds-checked cursor, no generated code. */
#ifndef IA_FILE_WIRE_H
#define IA_FILE_WIRE_H

#include "base/str.h"

typedef enum ia_wire_type {
    IA_WIRE_VARINT = 0,
    IA_WIRE_FIXED64 = 1,
    IA_WIRE_BYTES = 2,
    IA_WIRE_FIXED32 = 5
} ia_wire_type;

/* A cursor over one message; borrows the bytes. A malformed byte is remembered in `bad` and ends
 * the loop, so the pattern is: while (ia_wire_next(&w)) switch (w.number) ...;
 * IA_TRY(ia_wire_done(...)). The members below `bad` describe the current field. */
typedef struct ia_wire {
    const uint8_t *begin, *pos, *end;
    bool bad;
    uint32_t number;
    ia_wire_type type;
    uint64_t value;      /* VARINT, FIXED64, FIXED32 */
    const uint8_t *data; /* BYTES: the content, borrowed */
    size_t len;
    const uint8_t *raw; /* the whole field with its tag, for writing back unchanged */
    size_t raw_len;
} ia_wire;

void ia_wire_init(ia_wire *w, const uint8_t *data, size_t len);
bool ia_wire_next(ia_wire *w);
/* Value of the current field; a wrong wire type marks the message bad (and gives 0 / empty). */
uint64_t ia_wire_u64(ia_wire *w);
uint32_t ia_wire_u32(ia_wire *w); /* larger values mark the message bad */
int32_t
ia_wire_i32(ia_wire *w); /* negative numbers are ten bytes long; truncated as protobuf does */
bool ia_wire_bool(ia_wire *w);
ia_view ia_wire_view(ia_wire *w);
/* Opens the current BYTES field as a nested message. */
void ia_wire_sub(ia_wire *w, ia_wire *sub);
/* Replaces *out (0-terminated copy; an inner 0 byte or bad UTF-8 marks the message bad). */
ia_status ia_wire_str(ia_ctx *cx, ia_wire *w, char **out) IA_MUST_CHECK;
/* Appends a repeated integer field, packed or not, to the array (*v, *n, *cap). */
ia_status ia_wire_u64s(ia_ctx *cx, ia_wire *w, uint64_t **v, size_t *n, size_t *cap) IA_MUST_CHECK;
ia_status ia_wire_i32s(ia_ctx *cx, ia_wire *w, int32_t **v, size_t *n, size_t *cap) IA_MUST_CHECK;
/* CORRUPT "<what>: malformed message at byte N" when the cursor went bad. */
ia_status ia_wire_done(ia_ctx *cx, const ia_wire *w, const char *what) IA_MUST_CHECK;

/* Writers append to an ia_buf (failures are remembered there). put_* leave out zero and empty
 * values, as proto3 does; add_* write always (oneof members, repeated elements). */
void ia_wire_add_varint(ia_ctx *cx, ia_buf *b, uint32_t number, uint64_t v);
void ia_wire_add_bytes(ia_ctx *cx, ia_buf *b, uint32_t number, const void *data, size_t len);
void ia_wire_put_u64(ia_ctx *cx, ia_buf *b, uint32_t number, uint64_t v);
void ia_wire_put_i32(ia_ctx *cx, ia_buf *b, uint32_t number, int32_t v); /* int32, not sint32 */
void ia_wire_put_bool(ia_ctx *cx, ia_buf *b, uint32_t number, bool v);
void ia_wire_put_f64(ia_ctx *cx, ia_buf *b, uint32_t number, double v);
void ia_wire_put_str(ia_ctx *cx, ia_buf *b, uint32_t number, const char *s); /* NULL = empty */
void ia_wire_put_bytes(ia_ctx *cx, ia_buf *b, uint32_t number, const void *data, size_t len);
void ia_wire_put_u64s(ia_ctx *cx, ia_buf *b, uint32_t number, const uint64_t *v,
                      size_t n); /* packed */
void ia_wire_put_u32s(ia_ctx *cx, ia_buf *b, uint32_t number, const uint32_t *v,
                      size_t n); /* packed */
void ia_wire_put_i32s(ia_ctx *cx, ia_buf *b, uint32_t number, const int32_t *v,
                      size_t n); /* packed */
/* A nested message: mark = begin(); write its members to b; end(mark). Written also when empty. */
size_t ia_wire_begin(ia_ctx *cx, ia_buf *b, uint32_t number);
void ia_wire_end(ia_ctx *cx, ia_buf *b, size_t mark);
/* A bare varint, without a tag. */
void ia_wire_raw_varint(ia_ctx *cx, ia_buf *b, uint64_t v);

#endif
