/* fsst_kernel.h - the inner loop of FSST: codes into text. */
#ifndef IA_FILE_ENCODINGS_KERNELS_FSST_KERNEL_H
#define IA_FILE_ENCODINGS_KERNELS_FSST_KERNEL_H

#include <stddef.h>
#include <stdint.h>

enum { IA_FSST_ESCAPE = 255, IA_FSST_SLACK = 8 };
#define IA_FSST_BAD UINT32_MAX

/* Text of n codes; `out` has room for 8 * n + IA_FSST_SLACK bytes. length[c] = 0: no such code.
 * place[i] = where the text of code i begins, n + 1 of them; IA_FSST_BAD for the byte behind an
 * escape, where no string may begin. -1 = the codes do not fit the table, or end in an escape. */
int64_t ia_fsst_run(const uint64_t *symbol, const uint8_t *length, const uint8_t *codes, size_t n,
                    uint32_t *place, uint8_t *out);

#endif
