/* write_page.c - picks the layout of a page (file format 6.2, 7.2). */
#include "file/write_priv.h"

static uint64_t value_bytes(const ia_wleaf *l)
{
    return l->phys.kind == IA_PHYS_VAR ? l->longest : (l->phys.value_bits + 7) / 8;
}

/* Engine 10 and older cannot read full-zip pages of lists below a null struct (file format 9.1). */
static bool zip_is_readable(const ia_wleaf *l)
{
    if (l->first_list == SIZE_MAX)
        return true;
    for (size_t i = l->first_list + 1; i < l->depth; i++) {
        const ia_type *t = l->node[l->depth - 1 - i]->type;

        if (t->id == IA_TYPE_STRUCT && l->used[IA_EVENT_NULL(i)])
            return false;
    }
    return true;
}

ia_status ia_write_page(ia_ctx *cx, const ia_wleaf *l, const ia_wlevels *lv, ia_wpage *out)
{
    uint64_t wide = value_bytes(l);
    bool mini = wide < 256 || (!zip_is_readable(l) && wide <= 15000), fits;

    if (!l->valid)
        return ia_write_constant(cx, l, lv, out);
    if (mini) {
        IA_TRY(ia_write_mini(cx, l, lv, out, &fits));
        if (fits)
            return IA_OK;
        ia_wpage_dispose(out);
        memset(out, 0, sizeof *out);
        if (l->phys.kind == IA_PHYS_FIXED && !l->phys.width)
            return ia_fail(cx, IA_ERR_UNSUPPORTED,
                           "column '%s': a row with too many empty lists of booleans",
                           l->top->name);
    }
    return ia_write_zip(cx, l, lv, out);
}
