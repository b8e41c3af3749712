/* token.h - words of the schema and the query language. */
#ifndef IA_LANG_TOKEN_H
#define IA_LANG_TOKEN_H

#include "lang/diag.h"

typedef enum ia_token_kind {
    IA_TOK_END = 0,
    IA_TOK_BAD,   /* `bad` says why; an error only when the parser has to use it */
    IA_TOK_IDENT, /* [a-z_][A-Za-z0-9_]* */
    IA_TOK_TYPE,  /* [A-Z][A-Za-z0-9_]* */
    IA_TOK_VAR,   /* $ident, span includes the $ */
    IA_TOK_INT,
    IA_TOK_FLOAT,
    IA_TOK_STRING, /* span includes the quotes; escapes are known to be good */
    IA_TOK_OP
} ia_token_kind;

/* Operators of one character are that character. */
enum { IA_OP_DOTDOT = 256, IA_OP_ARROW, IA_OP_LE, IA_OP_GE, IA_OP_NE };

typedef struct ia_token {
    ia_token_kind kind;
    int op;
    ia_span span;
    const char *bad;
} ia_token;

typedef struct ia_lexer {
    const ia_source *src;
    size_t pos;
    uint32_t line, column;
    ia_span last; /* one past the end of the token before: where "end of text" is reported */
} ia_lexer;

void ia_lexer_init(ia_lexer *lx, const ia_source *src);
ia_token ia_lexer_next(ia_lexer *lx);
/* Puts the lexer back to the start of a token. */
void ia_lexer_rewind(ia_lexer *lx, const ia_token *to);
/* [A-Za-z0-9_-]+ at the current position, which must be the start of a token. kind BAD when absent.
 */
ia_token ia_lexer_enum_value(ia_lexer *lx);

#endif
