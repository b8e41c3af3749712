/* number_priv.h - text to double without regard to the process's locale. */
#ifndef IA_BASE_NUMBER_PRIV_H
#define IA_BASE_NUMBER_PRIV_H

/* strtod() and strtof() in the "C" locale. */
double ia_text_to_double(const char *s, char **end);
float ia_text_to_float(const char *s, char **end);

#endif
