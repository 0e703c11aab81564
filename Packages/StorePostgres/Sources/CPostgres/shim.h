#pragma once
#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

// Notices of the server belong to nobody here; libpq would print them on standard error.
static inline void latchkey_ignore_notice(void *context, const char *message) {
    (void)context;
    (void)message;
}

static inline void latchkey_silence(PGconn *connection) {
    PQsetNoticeProcessor(connection, latchkey_ignore_notice, (void *)0);
}

// The codes of the fields of an error are characters, which Swift imports as another type.
static inline const char *latchkey_error_code(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

static inline const char *latchkey_error_message(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

static inline const char *latchkey_error_severity(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
}

// The number of descriptors that are ready, or minus errno. A signal does not end it.
static inline int latchkey_poll(struct pollfd *descriptors, unsigned long count, int milliseconds) {
    int ready = poll(descriptors, count, milliseconds);
    return ready >= 0 ? ready : errno == EINTR ? 0 : -errno;
}

static inline int latchkey_event(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static inline void latchkey_signal(int descriptor) {
    uint64_t one = 1;
    (void)!write(descriptor, &one, sizeof one);
}

static inline void latchkey_clear(int descriptor) {
    uint64_t count;
    (void)!read(descriptor, &count, sizeof count);
}
