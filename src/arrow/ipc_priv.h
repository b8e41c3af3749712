/* ipc_priv.h - parts of Arrow IPC messages: schemas, dictionaries, bodies. */
#ifndef IA_ARROW_IPC_PRIV_H
#define IA_ARROW_IPC_PRIV_H

#include "arrow/arrow_priv.h"
#include "arrow/flatbuf_priv.h"
#include "arrow/ipc.h"

enum { IA_IPC_V4 = 3, IA_IPC_V5 = 4, IA_IPC_SCHEMA = 1, IA_IPC_DICTIONARY = 2, IA_IPC_BATCH = 3 };

/* Numbers of the Type union. */
enum {
    IA_IPC_T_NULL = 1,
    IA_IPC_T_INT,
    IA_IPC_T_FLOAT,
    IA_IPC_T_BINARY,
    IA_IPC_T_UTF8,
    IA_IPC_T_BOOL,
    IA_IPC_T_DECIMAL,
    IA_IPC_T_DATE,
    IA_IPC_T_TIME,
    IA_IPC_T_TIMESTAMP,
    IA_IPC_T_INTERVAL,
    IA_IPC_T_LIST,
    IA_IPC_T_STRUCT,
    IA_IPC_T_UNION,
    IA_IPC_T_FIXED_BINARY,
    IA_IPC_T_FIXED_LIST,
    IA_IPC_T_MAP,
    IA_IPC_T_DURATION,
    IA_IPC_T_LARGE_BINARY,
    IA_IPC_T_LARGE_UTF8,
    IA_IPC_T_LARGE_LIST,
    IA_IPC_T_RUN_END,
    IA_IPC_T_BINARY_VIEW,
    IA_IPC_T_UTF8_VIEW,
    IA_IPC_T_LIST_VIEW,
    IA_IPC_T_LARGE_LIST_VIEW
};

/* One dictionary-encoded place of a schema. Places are numbered in pre-order: a dictionary before
 * those inside of its values. */
typedef struct ia_ipc_dict {
    int64_t id;
    const ia_type *type; /* of the values; borrowed from the schema */
    ia_array *values;    /* NULL until a dictionary batch came */
} ia_ipc_dict;

/* Places in a type, itself included. */
size_t ia_ipc_dict_places(const ia_type *t);

typedef struct ia_ipc_dicts {
    ia_ipc_dict *d;
    size_t n, cap;
} ia_ipc_dicts;

/* `schema` is a Schema table of `f`. *dicts must be empty. Owner of both: the caller. */
ia_status ia_ipc_read_schema(ia_ctx *cx, ia_fb *f, const ia_fbt *schema, ia_schema **out,
                             ia_ipc_dicts *dicts) IA_MUST_CHECK;
void ia_ipc_dicts_dispose(ia_ipc_dicts *d);

/* The columns of a RecordBatch table `rb`, whose buffers lie in `body` (NULL = empty). `place`:
 * dictionary place of the first column. cols: n slots, all filled on success; else none. */
typedef struct ia_ipc_body {
    ia_fb *f;
    const ia_fbt *rb;
    ia_buffer *body;
    const ia_ipc_dicts *dicts;
    size_t place;
} ia_ipc_body;
ia_status ia_ipc_read_columns(ia_ctx *cx, const ia_ipc_body *b, const ia_field *fields, size_t n,
                              ia_array **cols, int64_t *rows) IA_MUST_CHECK;

/* Compressed form of a body buffer: its plain length and the frame. Errors: CORRUPT. */
ia_status ia_ipc_inflate(ia_ctx *cx, int codec, const uint8_t *src, size_t n,
                         ia_buffer **out) IA_MUST_CHECK;
/* Appends the buffer as the codec wants it, or as it is where that is no shorter. */
ia_status ia_ipc_deflate(ia_ctx *cx, int codec, const void *p, size_t n, ia_buf *out) IA_MUST_CHECK;

/* The place of a Schema table. Dictionary ids are places. */
size_t ia_ipc_put_schema(ia_fbw *w, const ia_schema *s);
size_t ia_ipc_put_metadata(ia_fbw *w, const ia_kv *kv, size_t n); /* vector of KeyValue */

/* Nodes, buffers and body of a record batch under construction. */
typedef struct ia_ipc_out {
    int codec;
    bool all_validity; /* validity bits are written although nothing is null */
    uint64_t *nodes, *bufs;
    size_t n_nodes, cap_nodes, n_bufs, cap_bufs; /* 64-bit numbers */
    ia_buf body;
} ia_ipc_out;
/* What a dictionary array's indices become: old index to new; NULL = unchanged. */
typedef struct ia_ipc_remap {
    const int64_t *to;
} ia_ipc_remap;
/* Elements [start, start + n) of a; *place moves over the dictionaries met. */
ia_status ia_ipc_put_array(ia_ctx *cx, ia_ipc_out *o, const ia_array *a, int64_t start, int64_t n,
                           const ia_ipc_remap *remap, size_t *place) IA_MUST_CHECK;
void ia_ipc_out_clear(ia_ipc_out *o);
void ia_ipc_out_dispose(ia_ipc_out *o);

/* A writer that also writes the validity of columns without nulls. */
void ia_ipc_writer_all_validity(ia_ipc_writer *w);

#endif
