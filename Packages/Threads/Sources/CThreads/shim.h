#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <malloc.h>
#include <time.h>

// pthread_setname_np and mallopt are GNU extensions that the Glibc overlay does not show.
static inline void latchkey_name_current_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
static inline int latchkey_mallopt_trim_threshold(int bytes) { return mallopt(M_TRIM_THRESHOLD, bytes); }
static inline int latchkey_mallopt_top_pad(int bytes) { return mallopt(M_TOP_PAD, bytes); }
