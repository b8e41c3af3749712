/* write_page.c - picks the layout of a page (file format 6.2, 7.2). */
#include "file/write_enc.h"

enum { MAX_MINI_VALUE = 15000 }; /* two of them fit a chunk */

static uint64_t value_bytes(const ia_wleaf *l)
{
    return l->phys.kind == IA_PHYS_VAR ? l->longest : (l->phys.value_bits + 7) / 8;
}

/* Engine 10 and older cannot read full-zip pages of lists below a null struct (file format 9.1),
 * and no engine those of fixed-size lists of booleans with nulls among them. */
static bool zip_is_readable(const ia_wleaf *l)
{
    for (size_t k = 0; l->phys.bits == 1 && k < l->phys.n_dims; k++) {
        if (ia_vals_has_inner_nulls(&l->vals, k))
            return false;
    }
    if (l->first_list == SIZE_MAX)
        return true;
    for (size_t i = l->first_list + 1; i < l->depth; i++) {
        const ia_type *t = l->node[l->depth - 1 - i]->type;

        if (t->id == IA_TYPE_STRUCT && l->used[IA_EVENT_NULL(i)])
            return false;
    }
    return true;
}

/* An encoding that does not apply to the type is as if not asked for. */
static ia_hint_encoding encoding_for(const ia_wleaf *l)
{
    ia_hint_encoding e = l->hints.encoding;
    bool word = ia_phys_is_word(&l->phys) && !ia_wleaf_is_packed(l);

    switch (e) {
    case IA_HINT_FSST:
    case IA_HINT_VARIABLE:
        return l->phys.kind == IA_PHYS_VAR ? e : IA_HINT_ENCODING_AUTO;
    case IA_HINT_BITPACK:
    case IA_HINT_RLE:
        return word ? e : IA_HINT_ENCODING_AUTO;
    case IA_HINT_BSS:
        return word && l->phys.width >= 4 ? e : IA_HINT_ENCODING_AUTO;
    case IA_HINT_FLAT:
        return l->phys.kind == IA_PHYS_FIXED ? e : IA_HINT_ENCODING_AUTO;
    default:
        return e;
    }
}

/* Layout by width, unless another is asked for and can hold the page. */
static bool wants_mini(const ia_wleaf *l)
{
    uint64_t wide = value_bytes(l);
    bool mini =
        wide < 256 || ia_wleaf_is_dict(l) || (!zip_is_readable(l) && wide <= MAX_MINI_VALUE);

    if (ia_wleaf_is_packed(l))
        return l->phys.kind == IA_PHYS_FIXED;
    if (l->hints.structural == IA_HINT_MINIBLOCK)
        return wide <= MAX_MINI_VALUE;
    if (l->hints.structural == IA_HINT_FULLZIP)
        return ia_wleaf_is_dict(l) || (l->phys.kind == IA_PHYS_FIXED && !l->phys.width) ||
               !zip_is_readable(l);
    return mini;
}

ia_status ia_write_page(ia_ctx *cx, const ia_wleaf *l, const ia_wlevels *lv, ia_wpage *out)
{
    ia_wleaf leaf = *l; /* borrows everything; only the hints differ */
    bool made = false;

    if (!l->valid)
        return ia_write_constant(cx, l, lv, out);
    leaf.hints.encoding = encoding_for(l);
    IA_TRY(ia_write_one_value(cx, &leaf, lv, out, &made));
    if (!made && wants_mini(&leaf)) {
        IA_TRY(ia_write_mini(cx, &leaf, lv, out, &made));
        if (made)
            return IA_OK;
        ia_wpage_dispose(out);
        memset(out, 0, sizeof *out);
        if (ia_wleaf_is_dict(l) || ia_wleaf_is_packed(l) ||
            (l->phys.kind == IA_PHYS_FIXED && !l->phys.width))
            return ia_fail(cx, IA_ERR_UNSUPPORTED,
                           "column '%s': a row with too many empty lists for its type",
                           l->top->name);
    }
    return made ? IA_OK : ia_write_zip(cx, &leaf, lv, out);
}
