/* cursor.h - the current token of a parser, with the small steps that both parsers share. */
#ifndef IA_LANG_CURSOR_H
#define IA_LANG_CURSOR_H

#include "lang/token.h"

#define IA_LANG_DEPTH 48     /* nesting of blocks, lists and calls */
#define IA_LANG_TYPES 10000  /* declarations of a schema, queries of a file */
#define IA_LANG_MEMBERS 2000 /* properties, constraints, clauses, parameters, ... of one holder */
#define IA_LANG_ITEMS 100000 /* items of a list literal */
#define IA_LANG_ENUM 10000   /* values of an enum */

typedef struct ia_cursor {
    ia_ctx *cx;
    ia_arena *arena; /* owner of names and strings */
    const ia_source *src;
    ia_lexer lx;
    ia_token tok; /* current */
    ia_span prev; /* of the token before */
    int depth;
} ia_cursor;

void ia_cursor_init(ia_cursor *c, ia_ctx *cx, ia_arena *arena, const ia_source *src);
void ia_cursor_advance(ia_cursor *c);
ia_token ia_cursor_peek(const ia_cursor *c); /* the token after the current one */

bool ia_cursor_is_op(const ia_cursor *c, int op);
bool ia_cursor_is_word(const ia_cursor *c, const char *word); /* IDENT or TYPE of that spelling */
bool ia_token_is_op(const ia_token *t, int op);
bool ia_token_is_word(const ia_cursor *c, const ia_token *t, const char *word);
bool ia_cursor_take_op(ia_cursor *c, int op); /* advances when it is there */
bool ia_cursor_take_word(ia_cursor *c, const char *word);

/* "parse error: expected <what>, found <token>" at the current token; a bad token tells its own
 * reason instead. */
ia_status ia_cursor_expected(ia_cursor *c, const char *what);
ia_status ia_cursor_expect_op(ia_cursor *c, int op, const char *what) IA_MUST_CHECK;
ia_status ia_cursor_expect_word(ia_cursor *c, const char *word) IA_MUST_CHECK;
/* Takes a token of the kind; *out is its text (VAR without $, STRING unescaped), *span may be NULL.
 */
ia_status ia_cursor_expect(ia_cursor *c, ia_token_kind kind, const char *what, const char **out,
                           ia_span *span) IA_MUST_CHECK;
ia_status ia_cursor_text(ia_cursor *c, const ia_token *t, const char **out) IA_MUST_CHECK;
/* Unsigned integer of an INT token. Errors: INVALID when above max. */
ia_status ia_cursor_u64(ia_cursor *c, uint64_t max, const char *what, uint64_t *out) IA_MUST_CHECK;
/* Value of an INT or FLOAT token; does not depend on the locale. */
ia_status ia_cursor_double(ia_cursor *c, const ia_token *t, double *out) IA_MUST_CHECK;
/* Counts nesting; pair with c->depth--. Errors: INVALID at the limit. */
ia_status ia_cursor_enter(ia_cursor *c) IA_MUST_CHECK;
/* Errors: INVALID when a list already holds `max` items. */
ia_status ia_cursor_room(ia_cursor *c, size_t n, size_t max, const char *what) IA_MUST_CHECK;
/* Span from the start of `a` to the end of `b`. */
ia_span ia_span_join(ia_span a, ia_span b);

#endif
