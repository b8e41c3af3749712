/* txn.h - changes as ordered actions; apply() builds the next manifest; wire forms. */
#ifndef IA_TABLE_TXN_H
#define IA_TABLE_TXN_H

#include "base/ids.h"
#include "table/dataset.h"

/* Actions (transactions page 5) plus private ones without a wire form of their own. */
typedef enum ia_action_kind {
    IA_ACT_ADD_FRAGMENT =
        1, /* fragment (id UNASSIGNED or explicit), mask: deleted offsets to persist */
    IA_ACT_REMOVE_FRAGMENT,  /* fragment_id */
    IA_ACT_DELETE_ROWS,      /* fragment_id, rows: offsets to add to its deletion vector; becomes
                                RemoveFragment when nothing is left, else SetDeletionFile */
    IA_ACT_REPLACE_FRAGMENT, /* fragment with id: post-image (files, deletions) */
    IA_ACT_ADD_BASE,         /* base: id is assigned, or the existing one of equal path is used */
    IA_ACT_RESET_TABLE,      /* drops schema, fragments, indices; keeps counters, config, bases */
    IA_ACT_SET_SCHEMA,       /* schema */
    IA_ACT_CONFIG            /* key, value (NULL = remove) in table_metadata */
} ia_action_kind;

typedef struct ia_action {
    ia_action_kind kind;
    ia_fragment
        fragment; /* ADD_FRAGMENT: files in a base added by this txn carry that action's base.id */
    uint64_t fragment_id; /* ADD_FRAGMENT after apply: the id given (IA_FRAGMENT_UNASSIGNED: all
                             rows were masked, nothing was added); ADD_BASE after apply: the id in
                             the manifest */
    ia_bitmap *rows;      /* DELETE_ROWS: rows to delete; ADD_FRAGMENT: mask */
    ia_basepath base;
    ia_lschema schema;
    char *key, *value;
    bool copy_created; /* ADD_FRAGMENT: leading rows that carry row ids are moved rows: created_at
                          is copied from the live row of that id in the manifest applied to */
} ia_action;

/* Which named operation the list is written as (what today's readers know). */
typedef enum ia_txn_form {
    IA_TXN_APPEND = 0,
    IA_TXN_DELETE,
    IA_TXN_UPDATE,
    IA_TXN_OVERWRITE,
    IA_TXN_CLONE,
    IA_TXN_UPDATE_BASES,
    IA_TXN_CONFIG
} ia_txn_form;

typedef struct ia_txn {
    uint64_t read_version;
    char uuid[IA_UUID_LEN + 1];
    ia_txn_form form;
    ia_action *actions;
    size_t n_actions, cap_actions;
    char *predicate; /* DELETE; may be NULL */
    char *message;   /* __lance_commit_message; may be NULL */
    int32_t *preserving_fields;
    size_t n_preserving;   /* UPDATE field 6; NULL = all field ids */
    uint64_t row_id_floor; /* next_row_id is raised to this before new rows get ids; 0 = kept */
    char *clone_path, *clone_ref;
    uint64_t clone_version;
    char *clone_branch; /* CLONE */
} ia_txn;

ia_status ia_txn_init(ia_ctx *cx, ia_txn *t, ia_txn_form form,
                      uint64_t read_version) IA_MUST_CHECK; /* new uuid */
void ia_txn_dispose(ia_txn *t);
/* Appends an empty action; *out is valid until the next add. */
ia_status ia_txn_add(ia_ctx *cx, ia_txn *t, ia_action_kind kind, ia_action **out) IA_MUST_CHECK;

typedef struct ia_apply_options {
    int64_t now_us;     /* timestamp; raised to the predecessor's when smaller */
    uint32_t put_flags; /* IA_PUT_SYNC for deletion files */
} ia_apply_options;
/* Builds the manifest that follows ds->m: version + 1, ids and row ids assigned, deletion vectors
 * united with those of ds and written below ds->dir (named by final fragment id), stamps set, flags
 * derived. Resolved ids are put back into `t`, so that it can be encoded. Writes deletion files
 * only. Applying the same txn again on another dataset gives the rebased result (ids are resolved
 * anew). */
ia_status ia_txn_apply(ia_ctx *cx, ia_dataset *ds, ia_txn *t, const ia_apply_options *opt,
                       ia_manifest **next) IA_MUST_CHECK;
/* pb(Transaction) in its named form, after apply (needs before and after for post-images). */
ia_status ia_txn_encode(ia_ctx *cx, const ia_txn *t, const ia_manifest *before,
                        const ia_manifest *after, ia_bytes *out) IA_MUST_CHECK;
/* uuid and operation number of an encoded transaction (conflict checks, drift). */
ia_status ia_txn_peek(ia_ctx *cx, const uint8_t *p, size_t n, char uuid[IA_UUID_LEN + 1],
                      uint32_t *operation) IA_MUST_CHECK;
/* apply + encode in one: bytes of the manifest file, the transaction file's name is in (*next). */
ia_status ia_txn_build(ia_ctx *cx, ia_dataset *ds, ia_txn *t, const ia_apply_options *opt,
                       ia_manifest **next, ia_bytes *manifest_file, ia_bytes *txn_pb) IA_MUST_CHECK;
/* Writes {dir}/_transactions/{m->transaction_file}; before the manifest is put (table format 8.1).
 */
ia_status ia_txn_file_put(ia_ctx *cx, ia_objstore *os, const char *dir, const ia_manifest *m,
                          const ia_bytes *txn_pb, uint32_t put_flags) IA_MUST_CHECK;

#endif
