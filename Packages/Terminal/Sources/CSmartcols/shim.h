#pragma once
#include <libsmartcols/libsmartcols.h>
#include <locale.h>

/* LC_CTYPE_MASK is a macro. */
static inline locale_t latchkey_utf8_locale(void) { return newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); }
