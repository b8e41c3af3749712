/* inarch.h - the whole public interface. */
#ifndef INARCH_H
#define INARCH_H

#include "inarch/branch.h"
#include "inarch/data.h"
#include "inarch/file.h"
#include "inarch/graph.h"
#include "inarch/query.h"
#include "inarch/status.h"
#include "inarch/table.h"

#ifdef __cplusplus
extern "C" {
#endif
/* "0.1.0"; static text. */
INARCH_API const char *inarch_version(void);
#ifdef __cplusplus
}
#endif
#endif
