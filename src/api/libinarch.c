/* libinarch.c - the unit the shared library is made of; everything else comes from the layers. */
#include "inarch/inarch.h"

typedef int inarch_library_is_not_empty;
