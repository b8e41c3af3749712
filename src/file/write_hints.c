/* write_hints.c - what field metadata and the writer's options ask of a column's encodings. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "file/write_priv.h"

#define PREFIX "lance-encoding:"

typedef struct choice {
    const char *name;
    int value;
} choice;

static const choice encodings[] = {
    {"flat", IA_HINT_FLAT},
    {"bitpack", IA_HINT_BITPACK},
    {"rle", IA_HINT_RLE},
    {"fsst", IA_HINT_FSST},
    {"bss", IA_HINT_BSS},
    {"dictionary", IA_HINT_DICTIONARY},
    {"dict", IA_HINT_DICTIONARY},
    {"variable", IA_HINT_VARIABLE},
    {NULL, 0},
};
static const choice structurals[] = {
    {"miniblock", IA_HINT_MINIBLOCK}, {"fullzip", IA_HINT_FULLZIP}, {NULL, 0}};
static const choice compressions[] = {{"none", IA_HINT_NONE},
                                      {"lz4", IA_HINT_LZ4},
                                      {"zstd", IA_HINT_ZSTD},
                                      {"fsst", IA_HINT_COMPRESSION_FSST},
                                      {NULL, 0}};
static const choice block_compressions[] = {
    {"none", IA_HINT_NONE}, {"lz4", IA_HINT_LZ4}, {"zstd", IA_HINT_ZSTD}, {NULL, 0}};
static const choice bss_modes[] = {
    {"auto", IA_HINT_BSS_AUTO}, {"off", IA_HINT_BSS_OFF}, {"on", IA_HINT_BSS_ON}, {NULL, 0}};

static const char *meta(const ia_field *f, const char *key)
{
    char full[64];

    snprintf(full, sizeof full, PREFIX "%s", key);
    return ia_field_meta(f, full);
}

static ia_status refuse(ia_ctx *cx, const ia_field *f, const char *key, const char *value,
                        const char *want)
{
    return ia_fail(cx, IA_ERR_INVALID, "field '%s': metadata " PREFIX "%s is '%s'; it must be %s",
                   f->name, key, value, want);
}

static bool pick(const choice *c, const char *v, int *out)
{
    for (; c->name; c++) {
        if (ia_str_eq(c->name, v)) {
            *out = c->value;
            return true;
        }
    }
    return false;
}

/* *out stays when the field has no such key. */
static ia_status meta_choice(ia_ctx *cx, const ia_field *f, const char *key, const choice *c,
                             const char *want, int *out)
{
    const char *v = meta(f, key);

    return !v || pick(c, v, out) ? IA_OK : refuse(cx, f, key, v, want);
}

static ia_status meta_int(ia_ctx *cx, const ia_field *f, const char *key, int64_t min, int64_t max,
                          int64_t *out)
{
    const char *v = meta(f, key);
    char want[64];
    char *end;
    long long n;

    if (!v)
        return IA_OK;
    n = strtoll(v, &end, 10);
    snprintf(want, sizeof want, "a whole number from %" PRId64 " to %" PRId64, min, max);
    if (!*v || *end || n < min || n > max)
        return refuse(cx, f, key, v, want);
    *out = n;
    return IA_OK;
}

/* A decimal fraction from 0 to 1; only digits and a point, whatever the locale. */
static ia_status meta_ratio(ia_ctx *cx, const ia_field *f, const char *key, double *out)
{
    const char *v = meta(f, key);
    double x = 0, unit = 1;
    size_t i = 0;

    if (!v)
        return IA_OK;
    for (; v[i] >= '0' && v[i] <= '9' && i < 16; i++)
        x = x * 10 + (v[i] - '0');
    if (i && v[i] == '.') {
        for (i++; v[i] >= '0' && v[i] <= '9' && i < 32; i++) {
            unit /= 10;
            x += unit * (v[i] - '0');
        }
    }
    if (!i || v[i] || x > 1)
        return refuse(cx, f, key, v, "a number from 0 to 1 such as 0.5");
    /* 0 asks for never: smaller than any real ratio, but not the default */
    *out = x > 0 ? x : 1e-300;
    return IA_OK;
}

static ia_status from_options(ia_ctx *cx, const ia_file_writer_options *opt, ia_hints *out)
{
    int v = 0;

    if (opt->encoding && pick(structurals, opt->encoding, &v))
        out->structural = (ia_hint_structural)v;
    else if (opt->encoding && pick(encodings, opt->encoding, &v))
        out->encoding = (ia_hint_encoding)v;
    else if (opt->encoding)
        return ia_fail(cx, IA_ERR_INVALID,
                       "encoding '%s' is not known; use miniblock, fullzip, flat, bitpack, rle, "
                       "dictionary, fsst, bss or variable",
                       opt->encoding);
    if (opt->compression && pick(block_compressions, opt->compression, &v))
        out->compression = (ia_hint_compression)v;
    else if (opt->compression)
        return ia_fail(cx, IA_ERR_INVALID, "compression '%s' is not known; use none, lz4 or zstd",
                       opt->compression);
    out->level = opt->compression_level;
    out->chunk_bytes = opt->chunk_bytes;
    return IA_OK;
}

/* Numbers of the metadata over those of the options. */
static ia_status meta_numbers(ia_ctx *cx, const ia_field *f, ia_hints *out)
{
    int64_t level = out->level, dict_level = 0, divisor = 0, chunk = out->chunk_bytes;

    IA_TRY(meta_int(cx, f, "compression-level", -(1 << 17), 99, &level));
    IA_TRY(meta_int(cx, f, "dict-values-compression-level", -(1 << 17), 99, &dict_level));
    IA_TRY(meta_int(cx, f, "dict-divisor", 1, INT64_MAX, &divisor));
    IA_TRY(meta_int(cx, f, "minichunk-size", 1, INT32_MAX, &chunk));
    IA_TRY(meta_ratio(cx, f, "rle-threshold", &out->rle_threshold));
    IA_TRY(meta_ratio(cx, f, "dict-size-ratio", &out->dict_size_ratio));
    out->level = (int32_t)level;
    out->dict_values_level = (int32_t)dict_level;
    out->dict_divisor = (uint64_t)divisor;
    out->chunk_bytes = (uint32_t)chunk;
    return IA_OK;
}

ia_status ia_hints_of(ia_ctx *cx, const ia_field *leaf, const ia_file_writer_options *opt,
                      ia_hints *out)
{
    int structural, compression, bss = 0, dict = 0;
    const char *v = meta(leaf, "structural-encoding");

    memset(out, 0, sizeof *out);
    if (opt)
        IA_TRY(from_options(cx, opt, out));
    structural = (int)out->structural;
    compression = (int)out->compression;
    if (v && ia_str_eq(v, "sparse"))
        return ia_fail(cx, IA_ERR_UNSUPPORTED,
                       "field '%s': metadata " PREFIX "structural-encoding is 'sparse', which "
                       "format 2.%" PRIu32 " does not have",
                       leaf->name, opt && opt->minor ? opt->minor : 1);
    IA_TRY(meta_choice(cx, leaf, "structural-encoding", structurals, "miniblock or fullzip",
                       &structural));
    IA_TRY(meta_choice(cx, leaf, "compression", compressions, "none, lz4, zstd or fsst",
                       &compression));
    IA_TRY(meta_choice(cx, leaf, "dict-values-compression", block_compressions, "none, lz4 or zstd",
                       &dict));
    IA_TRY(meta_choice(cx, leaf, "bss", bss_modes, "auto, on or off", &bss));
    out->structural = (ia_hint_structural)structural;
    out->compression = (ia_hint_compression)compression;
    out->dict_values = (ia_hint_compression)dict;
    out->bss = (ia_hint_bss)bss;
    return meta_numbers(cx, leaf, out);
}
