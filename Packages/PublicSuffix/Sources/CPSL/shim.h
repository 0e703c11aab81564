#pragma once
#include <libpsl.h>

// The types are macros of shifted numbers.
static const int latchkey_psl_any = PSL_TYPE_ANY;
