/* proptype.c - names, text and column types of property types. */
#include "lang/catalog.h"

#include <stdio.h>

bool ia_pkind_is_number(ia_pkind s)
{
    return s >= IA_PK_I32 && s <= IA_PK_F64;
}
const char *ia_pkind_name(ia_pkind s)
{
    switch (s) {
    case IA_PK_STRING:
        return "String";
    case IA_PK_BOOL:
        return "Bool";
    case IA_PK_I32:
        return "I32";
    case IA_PK_I64:
        return "I64";
    case IA_PK_U32:
        return "U32";
    case IA_PK_U64:
        return "U64";
    case IA_PK_F32:
        return "F32";
    case IA_PK_F64:
        return "F64";
    case IA_PK_DATE:
        return "Date";
    case IA_PK_DATETIME:
        return "DateTime";
    case IA_PK_VECTOR:
        return "Vector";
    case IA_PK_ENUM:
        return "enum";
    }
    return "?";
}

const char *ia_proptype_text(ia_proptype t, char *out, size_t n)
{
    const char *mark = t.nullable ? "?" : "";

    if (t.scalar == IA_PK_VECTOR)
        snprintf(out, n, "Vector(%d)%s", (int)t.dim, mark);
    else if (t.is_list)
        snprintf(out, n, "[%s]%s", ia_pkind_name(t.scalar), mark);
    else
        snprintf(out, n, "%s%s", ia_pkind_name(t.scalar), mark);
    return out;
}

static ia_type_id arrow_id(ia_pkind s)
{
    switch (s) {
    case IA_PK_STRING:
    case IA_PK_ENUM:
        return IA_TYPE_STRING;
    case IA_PK_BOOL:
        return IA_TYPE_BOOL;
    case IA_PK_I32:
        return IA_TYPE_I32;
    case IA_PK_I64:
        return IA_TYPE_I64;
    case IA_PK_U32:
        return IA_TYPE_U32;
    case IA_PK_U64:
        return IA_TYPE_U64;
    case IA_PK_F32:
    case IA_PK_VECTOR:
        return IA_TYPE_F32;
    case IA_PK_F64:
        return IA_TYPE_F64;
    case IA_PK_DATE:
        return IA_TYPE_DATE32;
    case IA_PK_DATETIME:
        return IA_TYPE_DATE64;
    }
    return IA_TYPE_NULL;
}

ia_status ia_proptype_arrow(ia_ctx *cx, ia_proptype t, ia_type **out)
{
    ia_type *item = ia_type_basic(arrow_id(t.scalar));

    *out = NULL;
    if (t.scalar == IA_PK_VECTOR)
        return ia_type_list(cx, IA_TYPE_FIXED_LIST, t.dim, "item", item, true, out);
    if (t.is_list)
        return ia_type_list(cx, IA_TYPE_LIST, 0, "item", item, true, out);
    *out = ia_type_retain(item);
    return IA_OK;
}
