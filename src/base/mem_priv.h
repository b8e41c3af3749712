/* mem_priv.h - what budget.c, mem.c and bitmap.c share: raw blocks, charging without a context. */
#ifndef IA_BASE_MEM_PRIV_H
#define IA_BASE_MEM_PRIV_H

#include "base/mem.h"

/* Zeroed memory charged to nobody; only budgets themselves use it. */
void *ia_raw_calloc(size_t n);
void ia_raw_free(void *p);

/* Charges n bytes to b and all its parents (b may be NULL). NULL on success; else nothing is
 * charged and the result is the budget whose limit was hit. */
const ia_budget *ia_budget_charge(ia_budget *b, uint64_t n);
/* Gives the bytes back; may free b when its owner dropped it. */
void ia_budget_uncharge(ia_budget *b, uint64_t n);
/* Records OVER_BUDGET for a charge that `full` refused. */
ia_status ia_budget_fail(ia_ctx *cx, const ia_budget *full, uint64_t n);

#endif
