/* fuzz_table.h - a small real table whose files answer to any name. */
#ifndef IA_FUZZ_FUZZ_TABLE_H
#define IA_FUZZ_FUZZ_TABLE_H

#include "fuzz.h"

#define FUZZ_TABLE "/mem/t.lance"

/* A store for one input: whatever ends in .lance is the table's data file, in .arrow and .bin its
 * deletion files; nothing else is there. What is put goes to a memory store of the run. */
void fuzz_table_store(fuzz_run *r, ia_objstore **out);
/* The newest manifest file of the table. Borrowed. */
const ia_bytes *fuzz_table_manifest(void);

#endif
