#pragma once
#include <errno.h>
#include <hiredis/hiredis.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// A GNU extension; _GNU_SOURCE itself changes types that the Glibc module has already.
extern const char *strerrordesc_np(int code);

// hiredis writes and reads the protocol here. The sockets are opened and waited for by us: its own have no deadline for
// a whole exchange, and no TLS in this version.

// A place that a socket connects to.
typedef struct {
    struct sockaddr_storage address;
    socklen_t count;
    int family;
} latchkey_place;

// Up to `limit` addresses of a host and port, in the order to try them; the count, or minus getaddrinfo's code.
static inline int latchkey_resolve(const char *host, const char *port, int isNumeric, latchkey_place *places, int limit) {
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    hints.ai_flags = AI_NUMERICSERV | (isNumeric ? AI_NUMERICHOST : AI_ADDRCONFIG);
    struct addrinfo *found = 0;
    int code = getaddrinfo(host, port, &hints, &found);
    if (code != 0) return code < 0 ? code : -code;
    int count = 0;
    for (struct addrinfo *one = found; one && count < limit; one = one->ai_next) {
        if (one->ai_addrlen > sizeof places[count].address) continue;
        memcpy(&places[count].address, one->ai_addr, one->ai_addrlen);
        places[count].count = one->ai_addrlen;
        places[count].family = one->ai_family;
        count++;
    }
    freeaddrinfo(found);
    return count;
}

// The place of a unix socket. 0, or -1 for a path that is too long.
static inline int latchkey_unix_place(const char *path, latchkey_place *place) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return -1;
    strcpy(address.sun_path, path);
    memcpy(&place->address, &address, sizeof address);
    place->count = sizeof address;
    place->family = AF_UNIX;
    return 0;
}

// Begins a connection without waiting for it. The descriptor, or minus errno.
static inline int latchkey_begin_connect(const latchkey_place *place) {
    int descriptor = socket(place->family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -errno;
    int one = 1;
    if (place->family != AF_UNIX) setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(descriptor, (const struct sockaddr *)&place->address, place->count) != 0 && errno != EINPROGRESS) {
        int code = errno;
        close(descriptor);
        return -code;
    }
    return descriptor;
}

// What became of it once the socket is writable: 0, or errno.
static inline int latchkey_connect_error(int descriptor) {
    int code = 0;
    socklen_t count = sizeof code;
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &count) == 0 ? code : errno;
}

// Waits until the socket is ready for one of `events`. What it is ready for; 0 when the time was over.
static inline int latchkey_poll(int descriptor, int events, int milliseconds) {
    struct pollfd poller = {.fd = descriptor, .events = (short)events, .revents = 0};
    int count = poll(&poller, 1, milliseconds);
    return count > 0 ? poller.revents : 0;
}

// Bytes, 0 at the end, or minus errno.
static inline long latchkey_receive(int descriptor, void *buffer, size_t count) {
    ssize_t received = recv(descriptor, buffer, count, 0);
    return received < 0 ? -errno : received;
}

static inline long latchkey_send(int descriptor, const void *bytes, size_t count) {
    ssize_t sent = send(descriptor, bytes, count, MSG_NOSIGNAL);
    return sent < 0 ? -errno : sent;
}

// The system's words for errno, with a zero at the end.
static inline void latchkey_system_text(int code, char *buffer, int count) {
    const char *text = strerrordesc_np(code);
    strncpy(buffer, text ? text : "unknown error", (size_t)count - 1);
    buffer[count - 1] = 0;
}
