#pragma once
#include <pthread.h>
#include <signal.h>
#include <malloc.h>
#include <time.h>

// pthread_setname_np and mallopt are GNU extensions that the Glibc overlay does not show. _GNU_SOURCE is not defined
// here: it changes types that the Glibc module has already, and Swift then refuses both.
extern int pthread_setname_np(pthread_t thread, const char *name);

static inline void latchkey_name_current_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
static inline int latchkey_mallopt_trim_threshold(int bytes) { return mallopt(M_TRIM_THRESHOLD, bytes); }
static inline int latchkey_mallopt_top_pad(int bytes) { return mallopt(M_TOP_PAD, bytes); }
