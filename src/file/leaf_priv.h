/* leaf_priv.h - reads rows of one physical column into accumulators, whatever the page layout. */
#ifndef IA_FILE_LEAF_PRIV_H
#define IA_FILE_LEAF_PRIV_H

#include "file/encodings/decode.h"
#include "file/file_priv.h"
#include "file/leaf_packed.h"

/* Structure and values of one leaf for the rows of a batch. layers[0] is the leaf item, the last
 * the top-level field; `slots` counts what a layer has so far (file format 2.7). */
typedef struct ia_layer_acc {
    bool list;
    uint32_t offset_bits; /* list: 32 or 64 */
    ia_valid valid;       /* valid.n = slots */
    ia_buf offs;          /* list: start of each slot; the closing offset comes at the end */
    uint64_t part;        /* entries of the last slot, while it is not complete (ia_leaf.mult) */
} ia_layer_acc;

typedef struct ia_leafacc {
    ia_layer_acc *layers; /* n_layers, from the leaf outwards */
    size_t n_layers;
    ia_vals vals;
    ia_packed packed; /* values of a leaf that is a struct; `vals` is used on the way */
} ia_leafacc;

/* Bytes of the file kept in memory; a reader's view of one page buffer. */
typedef struct ia_window {
    ia_buffer *buf; /* capacity may exceed len */
    uint64_t off;   /* absolute */
    size_t len;
} ia_window;

/* What becomes of the values of a leaf. */
typedef enum ia_leaf_kind {
    IA_LEAF_PLAIN = 0,
    IA_LEAF_EMPTY,      /* struct without fields: no values, never null */
    IA_LEAF_DICTIONARY, /* as plain; the array is encoded at the end */
    IA_LEAF_PACKED      /* rows, or descriptors of blobs, are moved on into acc->packed */
} ia_leaf_kind;

/* Cursor over one physical column. */
typedef struct ia_leaf {
    ia_file *f;
    uint32_t column;
    ia_io_class cls;
    ia_phys phys;
    size_t n_layers;
    bool is_list[IA_MAX_LAYERS];
    uint32_t offset_bits[IA_MAX_LAYERS];
    ia_filecol *col;

    /* A fixed-size list of structs has N entries a row and is a layer of items: a slot of layer i
     * is mult[i] entries. Pages and the calls between layouts count entries (of which lists outside
     * make one), that is row_entries for each row of the file. Accumulators count slots. */
    uint64_t mult[IA_MAX_LAYERS];
    uint64_t row_entries;
    ia_filecol *own_col; /* the page table where it is not the file's */
    ia_leaf_kind kind;
    const ia_type *leaf_type;

    /* Packed structs, blobs. */
    const ia_enc *row_enc;     /* fields of the open page's rows of variable width; else NULL */
    ia_enc row_bytes[2];       /* the same rows as mere bytes */
    struct ia_blob_page *blob; /* the open page has descriptors of blobs */

    /* What will be asked for next, in file rows: lets reads be coalesced. */
    uint64_t scan_end;    /* sequential reading up to here; 0 = take */
    const uint32_t *take; /* offsets still to come */
    size_t n_take;

    /* The open page. */
    size_t page; /* col->n_pages = none */
    ia_arena arena;
    ia_layout lay;
    ia_decoder dec;
    ia_window win, index_win;
    uint64_t cur_row; /* page row at which the list cursor below stands; UINT64_MAX = nowhere */

    /* mini-block */
    size_t n_chunks;
    uint64_t *chunk_off;  /* n_chunks + 1, absolute */
    uint64_t *chunk_val;  /* n_chunks + 1 values before the chunk */
    uint64_t *chunk_row;  /* lists: n_chunks + 1 rows ended before the chunk */
    uint32_t *chunk_rest; /* lists: entries of an unfinished row at the end of the chunk */
    bool has_dict;
    ia_vals dict;
    ia_phys chunk_phys;  /* shape of a chunk's values: phys, or dictionary indices */
    size_t hint;         /* chunk of the last read */
    size_t chunk;        /* decoded chunk, n_chunks = none */
    ia_vals vals;        /* its values */
    uint16_t *rep, *def; /* its levels; capacity n_cap */
    size_t n_levels, rep_cap, def_cap;
    bool has_def;
    size_t entry; /* list cursor inside the chunk */
    uint64_t value;

    struct ia_sparse *sparse; /* the open page is sparse; in its arena */

    /* full-zip */
    size_t cw;          /* bytes of a control word */
    size_t value_bytes; /* fixed: bytes of a value */
    size_t index_width; /* 0 = no repetition index */

    /* constant: levels of the whole page are in rep/def, n_levels entries */
    bool has_value; /* vals holds the value; else everything visible is null */

    struct ia_v20 *v20; /* format 2.0: the columns of the leaf and of the fields around it */
} ia_leaf;

/* `type` is the top-level field's type, `path` the child numbers from it down to the leaf. A struct
 * where the path ends is a packed one, or the descriptor of a blob. Errors: UNSUPPORTED, CORRUPT.
 */
ia_status ia_leaf_init(ia_ctx *cx, ia_leaf *l, ia_file *f, uint32_t column, const ia_type *type,
                       const size_t *path, size_t path_len, ia_io_class cls) IA_MUST_CHECK;
void ia_leaf_dispose(ia_leaf *l);
ia_status ia_leafacc_init(ia_ctx *cx, ia_leafacc *a, const ia_leaf *l) IA_MUST_CHECK;
void ia_leafacc_dispose(ia_leafacc *a);
/* Appends rows [row, row + n). Errors name file, column, page. */
ia_status ia_leaf_read(ia_ctx *cx, ia_leaf *l, uint64_t row, uint64_t n,
                       ia_leafacc *acc) IA_MUST_CHECK;

/* leaf_v20.c: the same for files of format 2.0. */
ia_status ia_v20_init(ia_ctx *cx, ia_leaf *l) IA_MUST_CHECK;
void ia_v20_dispose(ia_leaf *l);
ia_status ia_v20_read(ia_ctx *cx, ia_leaf *l, uint64_t row, uint64_t n,
                      ia_leafacc *acc) IA_MUST_CHECK;

/* True when whole runs of rows may be read from a page without ia_leaf_read: rows are entries and
 * values stay as they are. */
static inline bool ia_leaf_is_plain(const ia_leaf *l)
{
    return (l->kind == IA_LEAF_PLAIN || l->kind == IA_LEAF_DICTIONARY) && l->row_entries == 1;
}
/* Shape of a packed struct's rows: `width` bytes, or 0 = variable. */
void ia_leaf_row_phys(ia_leaf *l, size_t width);
/* leaf_blob.c. */
/* The entries of the open page are descriptors (l->lay is taken over). */
ia_status ia_leaf_blob_open(ia_ctx *cx, ia_leaf *l) IA_MUST_CHECK;
void ia_leaf_blob_close(ia_leaf *l);
ia_status ia_leaf_blob_read(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b,
                            ia_leafacc *acc) IA_MUST_CHECK;
/* The payloads of n descriptors (position, size: 16 bytes each) into *out; size 0 is empty. */
ia_status ia_blob_fetch(ia_ctx *cx, ia_leaf *l, const uint8_t *descriptors, uint64_t n,
                        ia_vals *out) IA_MUST_CHECK;

/* ---- between the layouts' files -------------------------------------------------------------- */

/* Bytes [off, off + len) of the file, valid until the next call with this window; may read on up to
 * `upto` so that following calls find their bytes. */
ia_status ia_leaf_bytes(ia_ctx *cx, ia_leaf *l, ia_window *w, uint64_t off, uint64_t len,
                        uint64_t upto, const uint8_t **out) IA_MUST_CHECK;
/* Whether these bytes are at hand without reading. */
static inline bool ia_leaf_has_bytes(const ia_leaf *l, const ia_window *w, uint64_t off,
                                     uint64_t len)
{
    return (w->buf && off >= w->off && off - w->off <= w->len && len <= w->len - (off - w->off)) ||
           ia_file_tail(l->f, off, len);
}
void ia_leaf_window_dispose(ia_window *w);
/* Makes page `number` the open one. Errors: CORRUPT, UNSUPPORTED. */
ia_status ia_leaf_open_page(ia_ctx *cx, ia_leaf *l, size_t number) IA_MUST_CHECK;
/* Page row up to which it pays to read beyond page row `end`: gaps of at most `gap` rows are
 * bridged. */
uint64_t ia_leaf_ahead(const ia_leaf *l, uint64_t end, uint64_t gap);
/* A whole page buffer, owned by the caller, or borrowed from the tail when *owned is NULL. */
ia_status ia_leaf_buffer(ia_ctx *cx, ia_leaf *l, size_t number, uint8_t **owned,
                         const uint8_t **data) IA_MUST_CHECK;
/* Appends n entries to the layers; rep or def NULL = all 0. *visible = value slots among them. */
ia_status ia_leaf_levels(ia_ctx *cx, const ia_leaf *l, ia_leafacc *acc, const uint16_t *rep,
                         const uint16_t *def, size_t n) IA_MUST_CHECK;
uint64_t ia_leaf_visible(const ia_leaf *l, const uint16_t *def, size_t n);
/* Room for n levels in *v. */
ia_status ia_leaf_level_room(ia_ctx *cx, uint16_t **v, size_t *cap, size_t n) IA_MUST_CHECK;
static inline const ia_page *ia_leaf_page(const ia_leaf *l)
{
    return &l->col->pages[l->page];
}

/* Opens and reads the page in l->lay, whatever its kind. */
ia_status ia_leaf_open_layout(ia_ctx *cx, ia_leaf *l) IA_MUST_CHECK;
ia_status ia_leaf_read_layout(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b,
                              ia_leafacc *acc) IA_MUST_CHECK;
ia_status ia_leaf_mini_open(ia_ctx *cx, ia_leaf *l) IA_MUST_CHECK;
ia_status ia_leaf_mini_read(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b,
                            ia_leafacc *acc) IA_MUST_CHECK;
/* Dictionary items named by the indices [start, start + n) in l->vals. Null slots may hold any
 * index: vdef = definition level of each value, NULL = all valid. Errors: CORRUPT. */
ia_status ia_leaf_gather(ia_ctx *cx, ia_leaf *l, uint64_t start, uint64_t n, const uint16_t *vdef,
                         ia_vals *out) IA_MUST_CHECK;
/* The n page rows rows[i] - first, ascending, all in the open page without lists. */
ia_status ia_leaf_mini_take(ia_ctx *cx, ia_leaf *l, const uint32_t *rows, size_t n,
                            ia_leafacc *acc) IA_MUST_CHECK;
ia_status ia_leaf_zip_open(ia_ctx *cx, ia_leaf *l) IA_MUST_CHECK;
ia_status ia_leaf_zip_read(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b,
                           ia_leafacc *acc) IA_MUST_CHECK;
/* The same for fixed-width values without levels, and for strings. */
bool ia_leaf_zip_takes(const ia_leaf *l);
ia_status ia_leaf_zip_take(ia_ctx *cx, ia_leaf *l, const uint32_t *rows, size_t n,
                           ia_leafacc *acc) IA_MUST_CHECK;
/* Stored values [a, b) without levels. null[i] != 0: a null slot, whose dictionary index may be
 * any; NULL = has none. */
ia_status ia_leaf_mini_values(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b, const uint16_t *null,
                              ia_vals *out) IA_MUST_CHECK;
/* Makes l->lay.inline_value the one value of l->vals. */
ia_status ia_leaf_const_inline(ia_ctx *cx, ia_leaf *l) IA_MUST_CHECK;
ia_status ia_leaf_sparse_open(ia_ctx *cx, ia_leaf *l) IA_MUST_CHECK;
ia_status ia_leaf_sparse_read(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b,
                              ia_leafacc *acc) IA_MUST_CHECK;
ia_status ia_leaf_const_open(ia_ctx *cx, ia_leaf *l) IA_MUST_CHECK;
ia_status ia_leaf_const_read(ia_ctx *cx, ia_leaf *l, uint64_t a, uint64_t b,
                             ia_leafacc *acc) IA_MUST_CHECK;

#endif
