/* fuzz_pages.h - data files made of the parts of an input, so that a mutant keeps its container. */
#ifndef IA_FUZZ_FUZZ_PAGES_H
#define IA_FUZZ_FUZZ_PAGES_H

#include "fuzz.h"

#include "file/file.h"

/* An input is, little-endian: u16 size and bytes of the file descriptor; u8 columns; per column u8
 * pages; per page u16 rows, u16 size of its description, u8 buffers, u16 size of each; then the
 * descriptions and buffers of all pages in that order. What is missing at the end is empty.
 * The file of format 2.`minor` is put at "/f.lance". False when the input is not of that form. */
bool fuzz_pages_put(fuzz_run *r, ia_objstore *os, uint32_t minor, const uint8_t *data, size_t size);
/* Scans whole, in part, and takes from every column; checks that what comes is sound. */
void fuzz_pages_read(fuzz_run *r, ia_file *f);
/* The whole run of one input: descriptions of layout `kind` only (0 = any). Always 0. */
int fuzz_pages_run(uint32_t minor, uint32_t kind, const uint8_t *data, size_t size);

#endif
