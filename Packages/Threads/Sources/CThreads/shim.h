#pragma once
#include <pthread.h>
#include <signal.h>
#include <malloc.h>
#include <time.h>

// pthread_setname_np and mallopt are GNU extensions that the Glibc overlay does not show. _GNU_SOURCE is not defined
// here: it changes types that the Glibc module has already, and Swift then refuses both.
extern int pthread_setname_np(pthread_t thread, const char *name);

static inline void latchkey_name_current_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
#include <sys/resource.h>

// Linux: without a process the calling thread is meant.
static inline void latchkey_lower_current_thread(void) { setpriority(PRIO_PROCESS, 0, 19); }
static inline int latchkey_mallopt_trim_threshold(int bytes) { return mallopt(M_TRIM_THRESHOLD, bytes); }
static inline int latchkey_mallopt_top_pad(int bytes) { return mallopt(M_TOP_PAD, bytes); }

// Signals reach a pipe by a handler, not a mask: the thread that becomes libdispatch's main queue unblocks them all.
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int latchkey_signal_pipe[2] = {-1, -1};

static void latchkey_note_signal(int number) {
    int error = errno;
    unsigned char byte = (unsigned char)number;
    ssize_t ignored = write(latchkey_signal_pipe[1], &byte, 1);
    (void)ignored;
    errno = error;
}

static inline int latchkey_open_signal_pipe(void) {
    if (latchkey_signal_pipe[0] >= 0) return 0;
    if (pipe(latchkey_signal_pipe) != 0) return -errno;
    for (int i = 0; i < 2; i++) fcntl(latchkey_signal_pipe[i], F_SETFD, FD_CLOEXEC);
    fcntl(latchkey_signal_pipe[1], F_SETFL, O_NONBLOCK);
    return 0;
}

static inline void latchkey_catch_signal(int number) {
    struct sigaction action = {.sa_handler = latchkey_note_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

// The next signal; 0 for a read that was interrupted.
static inline int latchkey_next_signal(void) {
    unsigned char byte;
    return read(latchkey_signal_pipe[0], &byte, 1) == 1 ? byte : 0;
}
