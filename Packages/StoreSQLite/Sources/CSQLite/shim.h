#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// SQLite copies the value, so that it need not outlive the call; the destructor is a cast that Swift cannot import.
static inline int latchkey_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
    // A null pointer would bind NULL, and an empty string may have no address.
    return sqlite3_bind_text(statement, index, text ? text : "", count, SQLITE_TRANSIENT);
}

static inline int latchkey_bind_bytes(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    // A null pointer would bind NULL, and Swift gives one for an empty array.
    return count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                      : sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline void latchkey_configure_sqlite(void) {
    // Without statistics SQLite's allocator takes no lock that all connections share.
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    // A reader forgets its pages whenever something was written. With room for what a look-up touches, kept in one
    // piece, it need not ask the allocator for each of them again: 64 pages, 270 KiB for a connection.
    sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 64);
}

// Nanoseconds of a clock that only goes forward.
static inline int64_t latchkey_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline int latchkey_is_late(void *end) { return latchkey_clock() >= *(const int64_t *)end; }

// Makes every statement of the connection end with SQLITE_INTERRUPT once the clock has come to `end`, which is looked
// up about every millisecond that SQLite computes and outlives the connection.
static inline void latchkey_watch(sqlite3 *connection, int64_t *end) {
    sqlite3_progress_handler(connection, 20000, latchkey_is_late, end);
}

// Creates the file, which must not exist. 0, or errno.
static inline int latchkey_create_file(const char *path) {
    int descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor < 0) return errno;
    close(descriptor);
    return 0;
}

// Opens, creating it if need be, a file to lock. The descriptor, or minus errno.
static inline int latchkey_open_lock(const char *path) {
    int descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    return descriptor < 0 ? -errno : descriptor;
}

// 0, or errno.
static inline int latchkey_try_lock(int descriptor) {
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
}

// 0, or errno.
static inline int latchkey_make_folder(const char *path) { return mkdir(path, 0700) == 0 ? 0 : errno; }

// Brings a file, or a folder's names, to the disk. 0, or errno.
static inline int latchkey_sync(const char *path) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return errno;
    int code = fsync(descriptor) == 0 ? 0 : errno;
    close(descriptor);
    return code;
}

// Gives a file another name, which must not be taken. 0, or errno.
static inline int latchkey_move_new(const char *from, const char *to) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0 ? 0 : errno;
}

// The file's mode, or minus errno.
static inline int latchkey_mode(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 ? (int)(status.st_mode) : -errno;
}

static inline int latchkey_event(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static inline void latchkey_signal(int descriptor) {
    uint64_t one = 1;
    (void)!write(descriptor, &one, sizeof one);
}

// Whether the event was signalled before the time was over.
static inline int latchkey_wait(int descriptor, int milliseconds) {
    struct pollfd poller = {.fd = descriptor, .events = POLLIN, .revents = 0};
    return poll(&poller, 1, milliseconds) > 0;
}

// The system's words for errno, with a zero at the end.
static inline void latchkey_error_text(int code, char *buffer, int count) {
    const char *text = strerrordesc_np(code);
    strncpy(buffer, text ? text : "unknown error", (size_t)count - 1);
    buffer[count - 1] = 0;
}
