/* file_check.h - decodes a whole file and checks what reading alone would not. */
#ifndef IA_FILE_FILE_CHECK_H
#define IA_FILE_FILE_CHECK_H

#include "file/file.h"

/* Every page table, also of columns that the schema does not name; every row of every column; the
 * Arrow arrays that come out (offsets, UTF-8, dictionary indices); the ranges of blob descriptors.
 * `exact` is the file's exact schema. *rows = rows checked, also on failure. Errors: CORRUPT naming
 * file, column, rows or page; UNSUPPORTED. */
ia_status ia_file_check(ia_ctx *cx, ia_file *f, const ia_schema *exact,
                        uint64_t *rows) IA_MUST_CHECK;

#endif
