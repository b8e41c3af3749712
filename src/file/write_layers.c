/* write_layers.c - numbers the levels of a page from the events that occurred (file format 2.2). */
#include "file/write_priv.h"

/* The engine miscounts where pages of a list below a struct differ in their layers; such columns
 * declare what their fields allow instead of what a page has. */
bool ia_wlevels_are_fixed(const ia_wleaf *l)
{
    for (size_t i = 0; i < l->depth; i++) {
        if (!ia_type_is_list(l->node[i]->type) && l->lists_below[i])
            return true;
    }
    return false;
}

/* The engine takes items inside a null struct for nulls of their own and refuses those of required
 * fields unless every layer on the way allows nulls; its own pages are like that. */
static bool is_inside_null(const ia_wleaf *l, size_t i)
{
    for (size_t k = i + 1; k < l->depth; k++) {
        if (ia_type_is_list(l->node[l->depth - 1 - k]->type))
            return false;
        if (l->used[IA_EVENT_NULL(k)])
            return true;
    }
    return false;
}

/* Picks each layer's kind from the events that occurred and numbers them, inner first. */
ia_status ia_wlevels_make(ia_ctx *cx, const ia_wleaf *l, ia_wlevels *out)
{
    uint16_t number[2 * IA_MAX_LAYERS + 1] = {0};
    bool in_list = false, fixed = ia_wlevels_are_fixed(l);

    memset(out, 0, sizeof *out);
    out->n_layers = l->depth;
    out->n = l->entries;
    out->max_rep = (uint32_t)l->n_lists;
    for (size_t i = 0; i < l->depth; i++) {
        bool list = ia_type_is_list(l->node[l->depth - 1 - i]->type);
        bool null = l->used[IA_EVENT_NULL(i)] || (fixed && l->node[l->depth - 1 - i]->nullable);
        bool empty = l->used[IA_EVENT_EMPTY(i)] || (fixed && list);

        null = null || (!list && is_inside_null(l, i));
        if (list && !in_list) {
            out->max_visible = out->max_def;
            in_list = true;
        }
        if (list)
            out->layers[i] = null && empty ? IA_LAYER_NULL_EMPTY_LIST
                             : null        ? IA_LAYER_NULL_LIST
                             : empty       ? IA_LAYER_EMPTY_LIST
                                           : IA_LAYER_LIST;
        else
            out->layers[i] = null ? IA_LAYER_NULL_ITEM : IA_LAYER_ITEM;
        if (null)
            number[IA_EVENT_NULL(i)] = (uint16_t)++out->max_def;
        if (empty)
            number[IA_EVENT_EMPTY(i)] = (uint16_t)++out->max_def;
    }
    if (!in_list)
        out->max_visible = out->max_def;
    if (l->n_lists)
        out->rep = (const uint16_t *)(const void *)l->rep.data;
    if (!out->max_def)
        return IA_OK;
    IA_TRY(IA_NEW_ARRAY(cx, out->def, l->entries));
    for (uint64_t i = 0; l->events.len && i < l->entries; i++)
        out->def[i] = number[l->events.data[i]];
    return IA_OK;
}
