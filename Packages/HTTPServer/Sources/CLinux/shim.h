#pragma once
#include <errno.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>

// What the Glibc overlay does not show (accept4, epoll, eventfd), macros that Swift cannot import, and calls whose C
// types would make every caller unsafe. Each returns what the call returns, or -errno.
// _GNU_SOURCE is not defined here: it changes types that the Glibc module has already, and Swift then refuses both.

extern int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags);

static inline int latchkey_epoll(void) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    return epoll < 0 ? -errno : epoll;
}

static inline int latchkey_eventfd(void) {
    int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static inline int latchkey_timer(void) {
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

// Lets the timer go off once, at a time of the monotonic clock; never for 0.
static inline void latchkey_set_timer(int timer, int64_t nanoseconds) {
    struct itimerspec when = {.it_value = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000}};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static inline void latchkey_await(int fd, int milliseconds) {
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    poll(&wanted, 1, milliseconds);
}

static inline int latchkey_core_count(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (int)count;
}

static inline void latchkey_close(int fd) { close(fd); }

static inline void latchkey_shut_writing(int fd) { shutdown(fd, SHUT_WR); }

static inline int64_t latchkey_monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline int64_t latchkey_unix_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return now.tv_sec;
}

static inline int latchkey_epoll_add(int epoll, int fd, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data = {.u64 = token}};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : -errno;
}

static inline int latchkey_epoll_change(int epoll, int fd, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data = {.u64 = token}};
    return epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event) == 0 ? 0 : -errno;
}

static inline int latchkey_epoll_remove(int epoll, int fd) {
    return epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL) == 0 ? 0 : -errno;
}

// Tokens and events go to two arrays, since epoll_event is packed and its union hides the token from Swift.
static inline int latchkey_epoll_wait(int epoll, uint64_t *tokens, uint32_t *events, int capacity, int milliseconds) {
    struct epoll_event ready[256];
    if (capacity > 256) capacity = 256;
    int count = epoll_wait(epoll, ready, capacity, milliseconds);
    if (count < 0) return -errno;
    for (int i = 0; i < count; i++) {
        tokens[i] = ready[i].data.u64;
        events[i] = ready[i].events;
    }
    return count;
}

static inline void latchkey_wake(int eventfd) {
    uint64_t one = 1;
    ssize_t ignored = write(eventfd, &one, sizeof one);
    (void)ignored;
}

static inline void latchkey_clear_wake(int eventfd) {
    uint64_t count;
    ssize_t ignored = read(eventfd, &count, sizeof count);
    (void)ignored;
}

// The address of a peer, flat: family 4, 6, or 1 for a unix socket; IPv4 in the last four bytes.
struct latchkey_peer {
    int family;
    uint16_t port;
    uint32_t v4;
    uint64_t high, low;
};

static inline void latchkey_flatten(const struct sockaddr_storage *address, struct latchkey_peer *peer) {
    memset(peer, 0, sizeof *peer);
    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
        peer->family = 4;
        peer->port = ntohs(v4->sin_port);
        peer->v4 = ntohl(v4->sin_addr.s_addr);
    } else if (address->ss_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
        peer->family = 6;
        peer->port = ntohs(v6->sin6_port);
        for (int i = 0; i < 8; i++) peer->high = peer->high << 8 | v6->sin6_addr.s6_addr[i];
        for (int i = 8; i < 16; i++) peer->low = peer->low << 8 | v6->sin6_addr.s6_addr[i];
    } else {
        peer->family = 1;
    }
}

static inline int latchkey_accept(int listener, struct latchkey_peer *peer) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    memset(&address, 0, sizeof address);
    int fd = accept4(listener, (struct sockaddr *)&address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return -errno;
    latchkey_flatten(&address, peer);
    if (peer->family != 1) {
        int one = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    }
    return fd;
}

static inline int latchkey_listen_fd(int fd, const struct sockaddr *address, socklen_t length) {
    if (bind(fd, address, length) != 0 || listen(fd, 4096) != 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    return fd;
}

static inline int latchkey_listen_ip(int family, uint32_t v4, uint64_t high, uint64_t low, uint16_t port) {
    int fd = socket(family == 4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    int one = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (family == 4) {
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(v4)}};
        return latchkey_listen_fd(fd, (struct sockaddr *)&address, sizeof address);
    }
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    for (int i = 0; i < 8; i++) {
        address.sin6_addr.s6_addr[i] = (uint8_t)(high >> (56 - 8 * i));
        address.sin6_addr.s6_addr[8 + i] = (uint8_t)(low >> (56 - 8 * i));
    }
    return latchkey_listen_fd(fd, (struct sockaddr *)&address, sizeof address);
}

// A socket file that nobody listens on any more is replaced; one that answers is in use.
static inline int latchkey_listen_unix(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    struct stat status;
    if (stat(path, &status) == 0) {
        if (!S_ISSOCK(status.st_mode)) return -EADDRINUSE;
        int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (probe < 0) return -errno;
        int taken = connect(probe, (struct sockaddr *)&address, sizeof address) == 0;
        close(probe);
        if (taken) return -EADDRINUSE;
        unlink(path);
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    return latchkey_listen_fd(fd, (struct sockaddr *)&address, sizeof address);
}

static inline void latchkey_bound(int fd, struct latchkey_peer *peer) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    memset(&address, 0, sizeof address);
    getsockname(fd, (struct sockaddr *)&address, &length);
    latchkey_flatten(&address, peer);
}

static inline ssize_t latchkey_receive(int fd, void *buffer, size_t count) {
    ssize_t got = recv(fd, buffer, count, 0);
    return got < 0 ? -errno : got;
}

static inline ssize_t latchkey_send(int fd, const void *bytes, size_t count) {
    ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
    return sent < 0 ? -errno : sent;
}

static inline int latchkey_is_current_thread(pthread_t thread) { return pthread_equal(pthread_self(), thread); }

static inline void latchkey_ignore_broken_pipes(void) { signal(SIGPIPE, SIG_IGN); }

// Changes whenever a file's content is replaced or rewritten. 0 when there is no file.
struct latchkey_file_state {
    uint64_t device, inode, size;
    int64_t modified;
};

static inline void latchkey_file_state(const char *path, struct latchkey_file_state *state) {
    struct stat status;
    memset(state, 0, sizeof *state);
    if (stat(path, &status) != 0) return;
    state->device = status.st_dev;
    state->inode = status.st_ino;
    state->size = (uint64_t)status.st_size;
    state->modified = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
}

// A blocking connection for the health probe, whose sends and receives give up after the time.
static inline int latchkey_connect(const struct sockaddr *address, socklen_t length, int milliseconds) {
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    struct timeval time = {.tv_sec = milliseconds / 1000, .tv_usec = (milliseconds % 1000) * 1000};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
    if (connect(fd, address, length) != 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    return fd;
}

static inline int latchkey_connect_ip(int family, uint32_t v4, uint64_t high, uint64_t low, uint16_t port,
                                      int milliseconds) {
    if (family == 4) {
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(v4)};
        return latchkey_connect((const struct sockaddr *)&address, sizeof address, milliseconds);
    }
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    for (int i = 0; i < 8; i++) {
        address.sin6_addr.s6_addr[i] = (uint8_t)(high >> (56 - 8 * i));
        address.sin6_addr.s6_addr[8 + i] = (uint8_t)(low >> (56 - 8 * i));
    }
    return latchkey_connect((const struct sockaddr *)&address, sizeof address, milliseconds);
}

static inline int latchkey_connect_unix(const char *path, int milliseconds) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    return latchkey_connect((const struct sockaddr *)&address, sizeof address, milliseconds);
}
