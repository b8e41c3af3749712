/* write_priv.h - the writer's columns: buffered rows of a leaf, and how they become a page. */
#ifndef IA_FILE_WRITE_PRIV_H
#define IA_FILE_WRITE_PRIV_H

#include "file/file.h"
#include "file/layout.h"
#include "file/vals.h"
#include "file/wire.h"

/* The file being written: small files stay in `pend` until finish and are written at once. */
typedef struct ia_fout {
    ia_objstore *os;
    char *path;
    ia_objwriter *w; /* NULL until the first flush */
    ia_buf pend;     /* bytes not yet handed to w */
    uint64_t pos;    /* length of the file so far, pend included */
    ia_io_class cls; /* of what is in pend */
} ia_fout;

ia_status ia_fout_write(ia_ctx *cx, ia_fout *o, const void *data, size_t len,
                        ia_io_class cls) IA_MUST_CHECK;
/* Fills up to a multiple of 64. */
ia_status ia_fout_align(ia_ctx *cx, ia_fout *o, ia_io_class cls) IA_MUST_CHECK;
ia_status ia_fout_finish(ia_ctx *cx, ia_fout *o, uint32_t put_flags) IA_MUST_CHECK;
void ia_fout_dispose(ia_fout *o);

/* How the values of a column should be stored, from its field metadata (keys as in the real engine)
 * and the writer's options. Zero members mean: the page decides by its statistics. Only the
 * metadata of the field that owns the physical column counts; nothing is inherited from the fields
 * around it.
 */
typedef enum ia_hint_encoding {
    IA_HINT_ENCODING_AUTO = 0,
    IA_HINT_FLAT,
    IA_HINT_BITPACK,
    IA_HINT_RLE,
    IA_HINT_DICTIONARY,
    IA_HINT_FSST,
    IA_HINT_BSS,
    IA_HINT_VARIABLE
} ia_hint_encoding;
typedef enum ia_hint_structural {
    IA_HINT_STRUCTURAL_AUTO = 0,
    IA_HINT_MINIBLOCK,
    IA_HINT_FULLZIP
} ia_hint_structural;
typedef enum ia_hint_compression {
    IA_HINT_COMPRESSION_AUTO = 0,
    IA_HINT_NONE, /* explicitly nothing: the engine does not even bit-pack then */
    IA_HINT_LZ4,
    IA_HINT_ZSTD,
    IA_HINT_COMPRESSION_FSST
} ia_hint_compression;
typedef enum ia_hint_bss { IA_HINT_BSS_AUTO = 0, IA_HINT_BSS_OFF, IA_HINT_BSS_ON } ia_hint_bss;
typedef struct ia_hints {
    ia_hint_encoding encoding;       /* ia_file_writer_options.encoding */
    ia_hint_structural structural;   /* structural-encoding; options.encoding */
    ia_hint_compression compression; /* compression; options.compression */
    int32_t level;                   /* compression-level; 0 = the library's default */
    ia_hint_bss bss;                 /* bss */
    double rle_threshold;   /* rle-threshold: runs / values below which RLE is tried; 0 = default */
    uint64_t dict_divisor;  /* dict-divisor: at most n / divisor distinct values; 0 = default */
    double dict_size_ratio; /* dict-size-ratio: encoded / raw size that still pays; 0 = default */
    ia_hint_compression dict_values; /* dict-values-compression: none, lz4, zstd */
    int32_t dict_values_level;       /* dict-values-compression-level */
    uint32_t chunk_bytes;            /* minichunk-size; options.chunk_bytes; 0 = default */
} ia_hints;
/* write_hints.c. Errors: INVALID naming column, key and value. */
ia_status ia_hints_of(ia_ctx *cx, const ia_field *leaf, const ia_file_writer_options *opt,
                      ia_hints *out) IA_MUST_CHECK;

/* Event of an entry: 0 = a value, else 1 + 2 * layer + (0 null, 1 empty); layers count from the
 * leaf. */
#define IA_EVENT_NULL(layer) ((uint8_t)(1 + 2 * (layer)))
#define IA_EVENT_EMPTY(layer) ((uint8_t)(2 + 2 * (layer)))

/* A field of a packed struct as it lies in the row: `bits` of a fixed value (a fixed-size list is
 * one value), or `len_bits` (32 or 64) of the length before the bytes. */
typedef struct ia_wpart {
    const ia_field *field; /* borrowed */
    ia_phys phys;
    uint32_t bits, len_bits;
} ia_wpart;

typedef struct ia_wintern ia_wintern; /* the map from values to their numbers in a page */

/* What a physical column holds besides plain values. */
typedef enum ia_wkind {
    IA_WKIND_PLAIN = 0,
    IA_WKIND_DICTIONARY,  /* vals: indices as wide as the index type; dict: the page's values. Must
                             become a mini-block page with that dictionary, or all-null */
    IA_WKIND_PACKED,      /* vals: fixed rows of `parts` without padding: packed_struct */
    IA_WKIND_PACKED_VAR,  /* vals: rows of parts with lengths: full-zip variable_packed_struct */
    IA_WKIND_BLOB,        /* vals: descriptors (u64 position, u64 size), see write_blob.c */
    IA_WKIND_EMPTY_STRUCT /* no values: constant page [I?] without buffers, all valid */
} ia_wkind;

/* One physical column of the writer and the rows of its unfinished page. */
typedef struct ia_wleaf {
    const ia_field *top;                   /* borrowed from the writer's schema */
    const ia_field *node[IA_MAX_LAYERS];   /* fields from the top to the leaf */
    size_t child[IA_MAX_LAYERS];           /* node[i + 1] is child[i] of node[i] */
    size_t depth;                          /* number of nodes = layers */
    size_t lists_below[IA_MAX_LAYERS + 1]; /* list nodes among node[i..] */
    size_t n_lists;
    size_t first_list; /* layer of the innermost list, SIZE_MAX without */
    uint64_t per_row;  /* entries of a row below fixed-size lists of structs; else 1 */
    bool bitpack;      /* integers, dates, times */
    bool large_chunks; /* 2.2: later engines refuse 16-bit chunk words there */
    uint32_t minor;    /* of the file: 1 or 2 */
    ia_hints hints;
    ia_wkind kind;
    ia_wpart *parts; /* packed structs */
    size_t n_parts;
    bool parts_owned;
    ia_phys phys; /* of vals */
    size_t top_index;
    ia_io_class cls;

    uint64_t first_row, rows; /* of the page; top-level rows */
    ia_buf rep;               /* u16 per entry; only with lists */
    ia_buf events;            /* u8 per entry; empty while there was no event */
    uint64_t entries, invisible, valid;
    bool used[2 * IA_MAX_LAYERS + 1];
    uint64_t longest;   /* bytes of the longest value */
    ia_vals vals;       /* visible slots; data.data may be borrowed from a batch */
    ia_vals dict;       /* DICTIONARY: distinct values of the page */
    ia_wintern *intern; /* DICTIONARY; owned by the writer */

    ia_buf pages; /* finished Page messages as members of ColumnMetadata */
} ia_wleaf;

/* write_setup.c: completes a column of which the way to it and `minor` are known. Errors:
 * UNSUPPORTED naming the field, its type and, where that helps, the version to ask for. */
ia_status ia_wleaf_init(ia_ctx *cx, ia_wleaf *l, const ia_file_writer_options *opt) IA_MUST_CHECK;

/* write_leaf.c: rows of a batch go to the page that is being filled; full pages go to the queue. */
struct ia_wqueue;
ia_status ia_wleaf_append(ia_ctx *cx, ia_wleaf *l, struct ia_wqueue *q, const ia_array *a,
                          uint64_t page_bytes) IA_MUST_CHECK;
uint64_t ia_wleaf_bytes(const ia_wleaf *l); /* buffered, about */
void ia_wleaf_clear(ia_wleaf *l);           /* for the next page */
void ia_wleaf_dispose(ia_wleaf *l);

/* The levels of a page, numbered. */
typedef struct ia_wlevels {
    uint8_t layers[IA_MAX_LAYERS];
    size_t n_layers;
    const uint16_t *rep; /* NULL = no lists */
    uint16_t *def;       /* owned; NULL = max_def is 0 */
    uint64_t n;
    uint32_t max_rep, max_def, max_visible;
} ia_wlevels;
/* write_layers.c */
bool ia_wlevels_are_fixed(const ia_wleaf *l); /* layers by the schema, not by what occurred */
ia_status ia_wlevels_make(ia_ctx *cx, const ia_wleaf *l, ia_wlevels *out) IA_MUST_CHECK;

/* A page ready to be written: at most four buffers and the PageLayout message. */
typedef struct ia_wpage {
    ia_buf bufs[4];
    ia_view views[4]; /* what is written; may borrow the leaf's values */
    size_t n;
    ia_buf layout;
} ia_wpage;
void ia_wpage_dispose(ia_wpage *p);

/* write_page.c: picks layout and encodings by statistics and hints. `lv` and the leaf stay
 * unchanged; may run on any thread, one page at a time per leaf. */
ia_status ia_write_page(ia_ctx *cx, const ia_wleaf *l, const ia_wlevels *lv,
                        ia_wpage *out) IA_MUST_CHECK;

/* write_mini.c; *fits false: a chunk would be too large, nothing usable was made. */
ia_status ia_write_mini(ia_ctx *cx, const ia_wleaf *l, const ia_wlevels *lv, ia_wpage *out,
                        bool *fits) IA_MUST_CHECK;
/* write_zip.c */
ia_status ia_write_zip(ia_ctx *cx, const ia_wleaf *l, const ia_wlevels *lv,
                       ia_wpage *out) IA_MUST_CHECK;
/* write_const.c: all values are null ... */
ia_status ia_write_constant(ia_ctx *cx, const ia_wleaf *l, const ia_wlevels *lv,
                            ia_wpage *out) IA_MUST_CHECK;
/* ... or equal; *made false when they are not, or the format has no such page. */
ia_status ia_write_one_value(ia_ctx *cx, const ia_wleaf *l, const ia_wlevels *lv, ia_wpage *out,
                             bool *made) IA_MUST_CHECK;

/* Messages shared by the layouts. */
void ia_put_flat(ia_ctx *cx, ia_buf *b, uint32_t member, uint32_t bits); /* CE {flat} as member */
void ia_put_value_enc(ia_ctx *cx, ia_buf *b, uint32_t member,
                      const ia_vals *v); /* flat, variable or fsl */
void ia_put_layers(ia_ctx *cx, ia_buf *b, uint32_t member, const ia_wlevels *lv);
/* Items of fixed-size lists that are null. */
bool ia_vals_has_inner_nulls(const ia_vals *v, size_t level);

#endif
