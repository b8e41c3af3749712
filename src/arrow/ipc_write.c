/* ipc_write.c - writes Arrow IPC streams and files. */
#include "arrow/compute.h"
#include "arrow/ipc_priv.h"

/* What was written for one dictionary place. */
typedef struct written {
    ia_array *last;  /* dictionary of the batch before; the same array needs no new look */
    ia_array *all;   /* values written so far */
    int64_t *to;     /* of `last`: index to index in `all`; NULL = unchanged */
    uint32_t *slots; /* files: open addressing over `all`, index + 1 */
    size_t n_slots;
} written;

struct ia_ipc_writer {
    ia_schema *schema;
    bool file;
    ia_ipc_sink sink;
    void *self;
    uint64_t at; /* bytes given to the sink */
    written *dicts;
    ia_ipc_remap *remap;
    size_t n_dicts;
    ia_ipc_out out;
    uint64_t *blocks[2]; /* of dictionaries and of batches: offset, metadata, body */
    size_t n_blocks[2], cap_blocks[2];
};

/* ---- messages ------------------------------------------------------------------------------ */

static ia_status give(ia_ctx *cx, ia_ipc_writer *w, const void *p, size_t n)
{
    w->at += n;
    return n > 0 ? w->sink(cx, w->self, p, n) : IA_OK;
}

/* Closes *fb as a message around `header` and sends it with the body. */
static ia_status send(ia_ctx *cx, ia_ipc_writer *w, ia_fbw *fb, size_t header, unsigned kind)
{
    const uint64_t at = w->at;
    const bool body = kind != IA_IPC_SCHEMA;
    const size_t k = kind == IA_IPC_BATCH;
    uint8_t head[8];

    ia_fbw_begin(fb);
    ia_fbw_num(fb, 3, body ? w->out.body.len : 0, 8);
    ia_fbw_ref(fb, 2, header);
    ia_fbw_num(fb, 0, IA_IPC_V5, 2);
    ia_fbw_num(fb, 1, kind, 1);
    ia_fbw_finish(fb, ia_fbw_end(fb));
    IA_TRY(ia_fbw_status(fb));
    ia_put_le32(head, UINT32_MAX);
    ia_put_le32(head + 4, (uint32_t)ia_fbw_place(fb));
    IA_TRY(give(cx, w, head, 8));
    IA_TRY(give(cx, w, ia_fbw_data(fb), ia_fbw_place(fb)));
    if (!body)
        return IA_OK;
    IA_TRY(IA_GROW(cx, w->blocks[k], w->cap_blocks[k], w->n_blocks[k] + 3));
    w->blocks[k][w->n_blocks[k]++] = at;
    w->blocks[k][w->n_blocks[k]++] = w->at - at;
    w->blocks[k][w->n_blocks[k]++] = w->out.body.len;
    return give(cx, w, w->out.body.data, w->out.body.len);
}

/* The RecordBatch table of what was put into w->out. */
static size_t put_batch(ia_ipc_writer *w, ia_fbw *fb, int64_t rows)
{
    size_t comp = 0, nodes, bufs;

    if (w->out.codec != IA_IPC_PLAIN) {
        ia_fbw_begin(fb);
        ia_fbw_num(fb, 0, (uint64_t)w->out.codec, 1);
        ia_fbw_num(fb, 1, 0, 1);
        comp = ia_fbw_end(fb);
    }
    nodes = ia_fbw_u64s(fb, w->out.nodes, w->out.n_nodes, w->out.n_nodes / 2);
    bufs = ia_fbw_u64s(fb, w->out.bufs, w->out.n_bufs, w->out.n_bufs / 2);
    ia_fbw_begin(fb);
    ia_fbw_num(fb, 0, (uint64_t)rows, 8);
    ia_fbw_ref(fb, 1, nodes);
    ia_fbw_ref(fb, 2, bufs);
    if (comp)
        ia_fbw_ref(fb, 3, comp);
    return ia_fbw_end(fb);
}

/* ---- dictionaries -------------------------------------------------------------------------- */

static ia_status send_dictionary(ia_ctx *cx, ia_ipc_writer *w, const ia_array *values, size_t place,
                                 bool delta)
{
    ia_fbw fb = {.cx = cx};
    size_t inner = place + 1, rb;
    ia_status st;

    ia_ipc_out_clear(&w->out);
    IA_GO(ia_ipc_put_array(cx, &w->out, values, 0, values->length, w->remap, &inner));
    rb = put_batch(w, &fb, values->length);
    ia_fbw_begin(&fb);
    ia_fbw_num(&fb, 0, place, 8);
    ia_fbw_ref(&fb, 1, rb);
    ia_fbw_num(&fb, 2, delta, 1);
    IA_GO(send(cx, w, &fb, ia_fbw_end(&fb), IA_IPC_DICTIONARY));
done:
    ia_fbw_dispose(&fb);
    return st;
}

static bool same_values(const ia_array *a, const ia_array *b)
{
    int64_t i;

    if (a->length != b->length)
        return false;
    for (i = 0; i < a->length; i++)
        if (!ia_value_equal(a, i, b, i))
            return false;
    return true;
}

/* Slot of value i of a in the table over d->all: its index + 1, or a free one. */
static uint32_t *slot_of(const written *d, const ia_array *a, int64_t i)
{
    size_t k = (size_t)ia_value_hash(a, i, 0) & (d->n_slots - 1);

    while (d->slots[k] && !ia_value_equal(d->all, d->slots[k] - 1, a, i))
        k = (k + 1) & (d->n_slots - 1);
    return &d->slots[k];
}

static ia_status rehash(ia_ctx *cx, written *d, int64_t values)
{
    size_t n = d->n_slots ? d->n_slots : 64;
    int64_t i;

    while (n < 2 * (size_t)values)
        n *= 2;
    if (n == d->n_slots)
        return IA_OK;
    ia_free(d->slots);
    d->n_slots = 0;
    IA_TRY(IA_NEW_ARRAY(cx, d->slots, n));
    d->n_slots = n;
    for (i = 0; d->all && i < d->all->length; i++) {
        uint32_t *s = slot_of(d, d->all, i);

        if (!*s)
            *s = (uint32_t)i + 1;
    }
    return IA_OK;
}

/* Room for the index type's largest value? */
static ia_status check_index(ia_ctx *cx, const ia_type *index, int64_t last)
{
    const uint32_t bits = ia_type_bits(index) - (index->id <= IA_TYPE_I64 ? 1 : 0);

    if (last > UINT32_MAX - 2 || (bits < 63 && last >= (int64_t)1 << bits))
        return ia_fail(cx, IA_ERR_INVALID,
                       "an Arrow file holds one dictionary per field, and this one outgrows its "
                       "index type; write a stream");
    return IA_OK;
}

/* Files: the values of `a` that are new are appended to d->all and sent. */
static ia_status extend_dictionary(ia_ctx *cx, ia_ipc_writer *w, written *d, const ia_type *t,
                                   const ia_array *a, size_t place)
{
    const int64_t have = d->all ? d->all->length : 0;
    int64_t *fresh = NULL, n = 0, i;
    ia_array *added = NULL, *parts[2], *all = NULL;
    ia_status st;

    IA_GO(IA_NEW_ARRAY(cx, fresh, (size_t)a->length));
    IA_GO(IA_NEW_ARRAY(cx, d->to, (size_t)a->length + 1));
    IA_GO(rehash(cx, d, have + a->length));
    for (i = 0; i < a->length; i++) {
        const uint32_t *s = have > 0 ? slot_of(d, a, i) : NULL;

        d->to[i] = s && *s ? (int64_t)*s - 1 : have + n;
        if (!s || !*s)
            fresh[n++] = i;
    }
    if (n > 0)
        IA_GO(check_index(cx, t->children[0].type, have + n - 1));
    if (n > 0 || !d->all) {
        IA_GO(ia_take_array(cx, a, fresh, n, &added));
        IA_GO(send_dictionary(cx, w, added, place, d->all != NULL));
        parts[0] = d->all;
        parts[1] = added;
        IA_GO(ia_concat_arrays(cx, d->all ? parts : parts + 1, d->all ? 2 : 1, &all));
        ia_array_release(d->all);
        d->all = all;
        for (i = have; i < d->all->length; i++) {
            uint32_t *s = slot_of(d, d->all, i);

            if (!*s)
                *s = (uint32_t)i + 1;
        }
    }
done:
    ia_array_release(added);
    ia_free(fresh);
    return st;
}

static ia_status write_dictionary(ia_ctx *cx, ia_ipc_writer *w, const ia_type *t, ia_array *values,
                                  size_t place)
{
    written *d = &w->dicts[place];

    if (d->last == values)
        return IA_OK;
    if (w->file) {
        ia_free(d->to);
        d->to = NULL;
        IA_TRY(extend_dictionary(cx, w, d, t, values, place));
        w->remap[place].to = d->to;
    } else if (!d->last || !same_values(d->last, values)) {
        IA_TRY(send_dictionary(cx, w, values, place, false));
    }
    ia_array_release(d->last);
    d->last = ia_array_retain(values);
    return IA_OK;
}

/* Inner dictionaries go first: their indices are part of the outer one's values. */
static ia_status write_dictionaries(ia_ctx *cx, ia_ipc_writer *w, const ia_array *a, size_t *place)
{
    const size_t own = *place;
    size_t i;

    if (a->type->id == IA_TYPE_DICTIONARY)
        ++*place;
    for (i = 0; i < a->n_children; i++)
        IA_TRY(write_dictionaries(cx, w, a->children[i], place));
    if (a->type->id == IA_TYPE_DICTIONARY)
        return write_dictionary(cx, w, a->type, a->children[0], own);
    return IA_OK;
}

/* ---- the writer ---------------------------------------------------------------------------- */

static ia_status send_schema(ia_ctx *cx, ia_ipc_writer *w)
{
    ia_fbw fb = {.cx = cx};
    ia_status st;

    if (w->file)
        IA_GO(give(cx, w, "ARROW1\0\0", 8));
    IA_GO(send(cx, w, &fb, ia_ipc_put_schema(&fb, w->schema), IA_IPC_SCHEMA));
done:
    ia_fbw_dispose(&fb);
    return st;
}

ia_status ia_ipc_writer_open(ia_ctx *cx, const ia_schema *s, bool file, ia_ipc_codec codec,
                             ia_ipc_sink sink, void *self, ia_ipc_writer **out)
{
    ia_ipc_writer *w = NULL;
    ia_status st;
    size_t i;

    *out = NULL;
    IA_GO(IA_NEW(cx, w));
    w->schema = ia_schema_retain(s);
    w->file = file;
    w->sink = sink;
    w->self = self;
    w->out.codec = codec;
    for (i = 0; i < s->n_fields; i++)
        w->n_dicts += ia_ipc_dict_places(s->fields[i].type);
    IA_GO(IA_NEW_ARRAY(cx, w->dicts, w->n_dicts + 1));
    IA_GO(IA_NEW_ARRAY(cx, w->remap, w->n_dicts + 1));
    IA_GO(send_schema(cx, w));
    *out = w;
    w = NULL;
done:
    ia_ipc_writer_free(w);
    return st;
}

void ia_ipc_writer_all_validity(ia_ipc_writer *w)
{
    w->out.all_validity = true;
}

ia_status ia_ipc_writer_write(ia_ctx *cx, ia_ipc_writer *w, const ia_batch *b)
{
    const ia_schema *s = w->schema;
    ia_fbw fb = {.cx = cx};
    size_t i, place = 0;
    ia_status st = IA_OK;

    if (b->schema->n_fields != s->n_fields)
        return ia_fail(cx, IA_ERR_INVALID, "a batch of %zu columns for an Arrow writer of %zu",
                       b->schema->n_fields, s->n_fields);
    for (i = 0; i < s->n_fields; i++) {
        if (!ia_type_equal(b->cols[i]->type, s->fields[i].type))
            return ia_fail(cx, IA_ERR_INVALID, "column '%s' has another type than the Arrow writer",
                           s->fields[i].name);
        IA_GO(write_dictionaries(cx, w, b->cols[i], &place));
    }
    ia_ipc_out_clear(&w->out);
    for (i = 0, place = 0; i < s->n_fields; i++)
        IA_GO(ia_ipc_put_array(cx, &w->out, b->cols[i], 0, b->rows, w->remap, &place));
    IA_GO(send(cx, w, &fb, put_batch(w, &fb, b->rows), IA_IPC_BATCH));
done:
    ia_fbw_dispose(&fb);
    return st;
}

ia_status ia_ipc_writer_finish(ia_ctx *cx, ia_ipc_writer *w)
{
    static const uint8_t eos[8] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0};
    size_t schema, dicts, batches;
    ia_fbw fb = {.cx = cx};
    uint8_t tail[10];
    ia_status st;

    IA_GO(give(cx, w, eos, 8));
    if (!w->file)
        goto done;
    schema = ia_ipc_put_schema(&fb, w->schema);
    dicts = ia_fbw_u64s(&fb, w->blocks[0], w->n_blocks[0], w->n_blocks[0] / 3);
    batches = ia_fbw_u64s(&fb, w->blocks[1], w->n_blocks[1], w->n_blocks[1] / 3);
    ia_fbw_begin(&fb);
    ia_fbw_ref(&fb, 1, schema);
    ia_fbw_ref(&fb, 2, dicts);
    ia_fbw_ref(&fb, 3, batches);
    ia_fbw_num(&fb, 0, IA_IPC_V5, 2);
    ia_fbw_finish(&fb, ia_fbw_end(&fb));
    IA_GO(ia_fbw_status(&fb));
    IA_GO(give(cx, w, ia_fbw_data(&fb), ia_fbw_place(&fb)));
    ia_put_le32(tail, (uint32_t)ia_fbw_place(&fb));
    memcpy(tail + 4, "ARROW1", 6);
    IA_GO(give(cx, w, tail, 10));
done:
    ia_fbw_dispose(&fb);
    return st;
}

void ia_ipc_writer_free(ia_ipc_writer *w)
{
    size_t i;

    if (!w)
        return;
    for (i = 0; w->dicts && i < w->n_dicts; i++) {
        ia_array_release(w->dicts[i].last);
        ia_array_release(w->dicts[i].all);
        ia_free(w->dicts[i].to);
        ia_free(w->dicts[i].slots);
    }
    ia_free(w->dicts);
    ia_free(w->remap);
    ia_free(w->blocks[0]);
    ia_free(w->blocks[1]);
    ia_ipc_out_dispose(&w->out);
    ia_schema_release(w->schema);
    ia_free(w);
}
