/* load_priv.h - what the files of a load share: the line reader, the rows of each type. */
#ifndef IA_GRAPH_LOAD_PRIV_H
#define IA_GRAPH_LOAD_PRIV_H

#include "arrow/builder.h"
#include "graph/ops.h"
#include "graph/row_plan.h"

#define IA_LOAD_LINE_MAX ((size_t)32 << 20)
#define IA_LOAD_CHUNK_ROWS 65536
#define IA_LOAD_CHUNK_BYTES ((uint64_t)16 << 20)

/* ---- lines
 * ---------------------------------------------------------------------------------------- */
typedef struct ia_lines {
    ia_read_fn read;
    void *arg;
    uint64_t total, done;   /* bytes, for progress; total 0 = not known */
    char *data;             /* window on the input */
    size_t start, end, cap; /* unread part */
    size_t scanned;         /* no line feed in [start, scanned) */
    bool eof;
    uint64_t line; /* number of the line last given, from 1 */
} ia_lines;
void ia_lines_dispose(ia_lines *l);
/* The next line that is not blank, without its line feed, valid until the next call; text.data NULL
 * at the end. Errors: INVALID for a line above the limit. */
ia_status ia_lines_next(ia_ctx *cx, ia_lines *l, ia_view *text) IA_MUST_CHECK;

/* ---- rows
 * ------------------------------------------------------------------------------------------- */
/* One type that occurs. Rows are built in chunks; each finished chunk is a batch of the plan. */
typedef struct ia_load_type {
    const ia_type_def *def;
    size_t type;
    bool used;
    ia_builder
        *cols;   /* per field of def->arrow_schema; column 0 holds the ids given by the input */
    char **what; /* "Person.age" per property, for messages */
    const ia_json **values; /* of the line at work, per property */
    uint64_t *lines;        /* per row of the chunk at work */
    size_t n_lines, cap_lines;
    uint64_t bytes; /* input bytes of that chunk */
    bool given_ids; /* some row may have an id that is stored already */
    uint64_t rows;
    ia_row_plan plan;
    uint64_t **plan_lines; /* per batch of the plan; moved into the change set */
    size_t n_plan_lines, cap_plan_lines;
} ia_load_type;

typedef struct ia_loader {
    const ia_catalog *cat;
    ia_load_mode mode;
    ia_load_type *types; /* per catalog type */
    ia_lines lines;
} ia_loader;

/* Reads everything into the plans of the types. Errors: INVALID, CONSTRAINT naming the line. */
ia_status ia_load_parse(ia_ctx *cx, ia_loader *l) IA_MUST_CHECK;
/* Makes the builders of a type that occurs for the first time. */
ia_status ia_load_type_prepare(ia_ctx *cx, ia_load_type *t) IA_MUST_CHECK;
void ia_load_type_dispose(ia_load_type *t);
/* Turns the chunk at work into a batch: ids are derived, checked or made, repeated ones noticed. */
ia_status ia_load_flush(ia_ctx *cx, ia_loader *l, ia_load_type *t) IA_MUST_CHECK;

/* ---- from rows to commit
 * ---------------------------------------------------------------------------- */
ia_status ia_loader_init(ia_ctx *cx, ia_loader *l, const ia_catalog *cat,
                         ia_load_mode mode) IA_MUST_CHECK;
void ia_loader_dispose(ia_loader *l);
/* Judges the rows, writes them, publishes. */
ia_status ia_load_finish(ia_ctx *cx, ia_loader *l, ia_write *w, ia_load_result *out) IA_MUST_CHECK;

#endif
