/* str.h - borrowed string views, owned byte blocks, and a growing byte builder. */
#ifndef IA_BASE_STR_H
#define IA_BASE_STR_H

#include <stdbool.h>

#include "base/mem.h"

/* Borrowed bytes, not 0-terminated; the owner is whoever made the view. */
typedef struct ia_view {
    const char *data;
    size_t len;
} ia_view;

ia_view ia_view_of(const char *s); /* NULL gives an empty view */
bool ia_view_eq(ia_view a, ia_view b);
bool ia_view_eq_str(ia_view a, const char *s);
int ia_view_cmp(ia_view a, ia_view b); /* by bytes, shorter first */
bool ia_view_starts_with(ia_view a, const char *prefix);
bool ia_view_ends_with(ia_view a, const char *suffix);
bool ia_str_eq(const char *a, const char *b); /* NULL equals only NULL */
bool ia_str_eq_nocase(const char *a, const char *b); /* ASCII case folded */

/* Owned bytes (ia_alloc). */
typedef struct ia_bytes {
    uint8_t *data;
    size_t len;
} ia_bytes;

void ia_bytes_dispose(ia_bytes *b);
ia_status ia_bytes_copy(ia_ctx *cx, const void *data, size_t len, ia_bytes *out) IA_MUST_CHECK;
void ia_bytes_move(ia_bytes *dst, ia_bytes *src);

/* Growing builder. A failed append is remembered; check once with ia_buf_status() or finish.
 * All-zero is valid. Always keeps a 0 byte after the content (once anything was appended). */
typedef struct ia_buf {
    uint8_t *data;
    size_t len;
    size_t cap;
    ia_status failed; /* first failure; later appends do nothing */
} ia_buf;

void ia_buf_dispose(ia_buf *b);
void ia_buf_clear(ia_buf *b); /* keeps memory and failure */
void ia_buf_put(ia_ctx *cx, ia_buf *b, const void *data, size_t n);
void ia_buf_puts(ia_ctx *cx, ia_buf *b, const char *s);
void ia_buf_putc(ia_ctx *cx, ia_buf *b, char c);
void ia_buf_fill(ia_ctx *cx, ia_buf *b, uint8_t byte, size_t n);
void ia_buf_printf(ia_ctx *cx, ia_buf *b, const char *fmt, ...) IA_PRINTF(3, 4);
uint8_t *ia_buf_extend(ia_ctx *cx, ia_buf *b, size_t n); /* n new raw bytes, NULL on failure */
ia_status ia_buf_status(const ia_buf *b) IA_MUST_CHECK;
/* Moves the content out; *b is empty afterwards. */
ia_status ia_buf_finish(ia_buf *b, ia_bytes *out) IA_MUST_CHECK;
ia_status ia_buf_finish_str(ia_ctx *cx, ia_buf *b, char **out) IA_MUST_CHECK; /* 0-terminated */

/* Growing list of owned strings. All-zero is valid. */
typedef struct ia_strlist {
    char **items;
    size_t n;
    size_t cap;
} ia_strlist;

ia_status ia_strlist_add(ia_ctx *cx, ia_strlist *l, const char *s) IA_MUST_CHECK;
ia_status ia_strlist_addn(ia_ctx *cx, ia_strlist *l, const char *s, size_t n) IA_MUST_CHECK;
void ia_strlist_sort(ia_strlist *l); /* by bytes */
bool ia_strlist_has(const ia_strlist *l, const char *s);
void ia_strlist_dispose(ia_strlist *l);

/* Little-endian numbers in byte strings; never by casting. */
static inline uint16_t ia_le16(const uint8_t *p) { uint16_t v; memcpy(&v, p, 2); return v; }
static inline uint32_t ia_le32(const uint8_t *p) { uint32_t v; memcpy(&v, p, 4); return v; }
static inline uint64_t ia_le64(const uint8_t *p) { uint64_t v; memcpy(&v, p, 8); return v; }
static inline void ia_put_le16(uint8_t *p, uint16_t v) { memcpy(p, &v, 2); }
static inline void ia_put_le32(uint8_t *p, uint32_t v) { memcpy(p, &v, 4); }
static inline void ia_put_le64(uint8_t *p, uint64_t v) { memcpy(p, &v, 8); }

/* True when the bytes are well-formed UTF-8; else *bad is the offset of the first bad byte. */
bool ia_utf8_valid(const char *s, size_t n, size_t *bad);

#endif
