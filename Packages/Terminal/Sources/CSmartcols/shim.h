#pragma once
#include <libsmartcols/libsmartcols.h>
