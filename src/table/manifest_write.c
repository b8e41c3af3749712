/* manifest_write.c - encodes manifest files and rewrites the index section they carry. */
#include "table/table_priv.h"

static void put_block(ia_ctx *cx, ia_buf *b, const void *data, size_t n)
{
    uint8_t len[4];
    ia_put_le32(len, (uint32_t)n);
    ia_buf_put(cx, b, len, 4);
    ia_buf_put(cx, b, data, n);
}

static void put_pair(ia_ctx *cx, ia_buf *b, uint32_t number, const char *first, const char *second)
{
    const size_t mark = ia_wire_begin(cx, b, number);
    ia_wire_put_str(cx, b, 1, first);
    ia_wire_put_str(cx, b, 2, second);
    ia_wire_end(cx, b, mark);
}

static void put_timestamp(ia_ctx *cx, ia_buf *b, int64_t us)
{
    int64_t seconds = us / 1000000, micros = us % 1000000;
    size_t mark;
    if (micros < 0) {
        seconds--;
        micros += 1000000;
    }
    mark = ia_wire_begin(cx, b, 7);
    ia_wire_put_u64(cx, b, 1, (uint64_t)seconds);
    ia_wire_put_i32(cx, b, 2, (int32_t)(micros * 1000));
    ia_wire_end(cx, b, mark);
}

static ia_status put_members(ia_ctx *cx, ia_buf *b, const ia_manifest *m, uint64_t index_at,
                             uint64_t txn_at, bool has_txn)
{
    IA_TRY(ia_lschema_put(cx, b, 1, &m->schema));
    for (size_t i = 0; i < m->n_fragments; i++)
        IA_TRY(ia_fragment_put(cx, b, 2, &m->fragments[i], m->fragments[i].id));
    ia_wire_put_u64(cx, b, 3, m->version);
    ia_wire_put_kv(cx, b, 5, m->schema.metadata, m->schema.n_metadata);
    if (m->indices.len)
        ia_wire_add_varint(cx, b, 6, index_at);
    put_timestamp(cx, b, m->timestamp_us);
    ia_wire_put_u64(cx, b, 9, m->reader_flags);
    ia_wire_put_u64(cx, b, 10, m->writer_flags);
    if (m->has_max_fragment_id)
        ia_wire_add_varint(cx, b, 11, m->max_fragment_id);
    ia_wire_put_str(cx, b, 12, m->transaction_file);
    if (m->writer_library)
        put_pair(cx, b, 13, m->writer_library, m->writer_version);
    ia_wire_put_u64(cx, b, 14, m->next_row_id);
    put_pair(cx, b, 15, "lance", m->data_version);
    ia_wire_put_kv(cx, b, 16, m->config, m->n_config);
    for (size_t i = 0; i < m->n_bases; i++)
        ia_basepath_put(cx, b, 18, &m->bases[i]);
    ia_wire_put_kv(cx, b, 19, m->table_metadata, m->n_table_metadata);
    if (m->branch)
        ia_wire_add_bytes(cx, b, 20, m->branch, strlen(m->branch));
    if (has_txn) {
        /* engines up to 10 look at 21, later ones at 23 */
        ia_wire_add_varint(cx, b, 21, txn_at);
        ia_wire_add_varint(cx, b, 23, txn_at);
    }
    ia_buf_put(cx, b, m->extra.data, m->extra.len);
    return ia_buf_status(b);
}

ia_status ia_manifest_encode(ia_ctx *cx, const ia_manifest *m, const uint8_t *txn_pb,
                             size_t txn_len, ia_bytes *out)
{
    ia_buf b = {0}, body = {0};
    uint8_t foot[16];
    uint64_t index_at = 0, txn_at;
    ia_status st;

    memset(out, 0, sizeof *out);
    if (m->indices.len)
        put_block(cx, &b, m->indices.data, m->indices.len);
    txn_at = b.len;
    if (txn_len)
        put_block(cx, &b, txn_pb, txn_len);
    IA_GO(put_members(cx, &body, m, index_at, txn_at, txn_len > 0));
    if (body.len > UINT32_MAX || txn_len > UINT32_MAX || m->indices.len > UINT32_MAX)
        IA_GO(ia_fail(cx, IA_ERR_UNSUPPORTED,
                      "the manifest of version %llu would pass 4 GiB; compact the table first",
                      (unsigned long long)m->version));
    ia_put_le64(foot, b.len);
    ia_put_le16(foot + 8, 0);
    ia_put_le16(foot + 10, 2);
    memcpy(foot + 12, "LANC", 4);
    put_block(cx, &b, body.data, body.len);
    ia_buf_put(cx, &b, foot, sizeof foot);
    IA_GO(ia_buf_finish(&b, out));
done:
    ia_buf_dispose(&body);
    ia_buf_dispose(&b);
    return st;
}
