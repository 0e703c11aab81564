#define _GNU_SOURCE
#include "CRawLoop.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 65536, BATCH = 256 };

static int64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t rawloop_process_cpu(void) { return nanoseconds(CLOCK_PROCESS_CPUTIME_ID); }

int64_t rawloop_resident(void) {
    long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
    fclose(file);
    return (int64_t)resident * sysconf(_SC_PAGESIZE);
}

void rawloop_raise_descriptors(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static void pin(int wantsLast) {
    cpu_set_t all, chosen;
    CPU_ZERO(&chosen);
    if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2) return;
    int last = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &all)) last = cpu;
    if (wantsLast) {
        CPU_SET(last, &chosen);
    } else {
        chosen = all;
        CPU_CLR(last, &chosen);
    }
    sched_setaffinity(0, sizeof chosen, &chosen);
}

static cpu_set_t everything;

void rawloop_spread_servers(void) {
    sched_getaffinity(0, sizeof everything, &everything);
    pin(0);
}

void rawloop_pin_load(void) {
    sched_setaffinity(0, sizeof everything, &everything);
    pin(1);
}

// MARK: The server

static pthread_t server;
static int listener, stopper;
static char answer[2048];
static int answerLength;

// The length of the first message in the buffer; 0 when it is not all there.
static int message_length(const char *bytes, int count) {
    const char *end = memmem(bytes, count, "\r\n\r\n", 4);
    if (!end) return 0;
    int head = (int)(end - bytes) + 4;
    const char *length = memmem(bytes, head, "Content-Length: ", 16);
    int total = head + (length ? atoi(length + 16) : 0);
    return total <= count ? total : 0;
}

static void *serve(void *unused) {
    (void)unused;
    char *buffer = malloc(BUFFER);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, ready[BATCH];
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
    event.data.fd = stopper;
    epoll_ctl(epoll, EPOLL_CTL_ADD, stopper, &event);
    for (int running = 1; running;) {
        int count = epoll_wait(epoll, ready, BATCH, -1);
        for (int i = 0; i < count; i++) {
            int fd = ready[i].data.fd;
            if (fd == stopper) {
                running = 0;
            } else if (fd == listener) {
                int accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), one = 1;
                if (accepted < 0) continue;
                setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                event.events = EPOLLIN;
                event.data.fd = accepted;
                epoll_ctl(epoll, EPOLL_CTL_ADD, accepted, &event);
            } else {
                // The load sends a request in one piece, so a loop that only shows the floor may count on it.
                ssize_t got = recv(fd, buffer, BUFFER, 0);
                if (got <= 0 && errno != EAGAIN) close(fd);
                if (got > 0 && message_length(buffer, (int)got) > 0) send(fd, answer, answerLength, MSG_NOSIGNAL);
            }
        }
    }
    close(epoll);
    free(buffer);
    return NULL;
}

int rawloop_start(void) {
    char body[601];
    memset(body, 'r', 600);
    body[600] = 0;
    answerLength = snprintf(
        answer, sizeof answer,
        "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 600\r\n"
        "Content-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\nPragma: no-cache\r\n"
        "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\r\n%s",
        body
    );
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    stopper = eventfd(0, EFD_CLOEXEC);
    if (listener < 0 || stopper < 0 || bind(listener, (struct sockaddr *)&address, length) != 0 ||
        listen(listener, 1024) != 0 || getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        return -errno;
    if (pthread_create(&server, NULL, serve, NULL) != 0) return -EAGAIN;
    return ntohs(address.sin_port);
}

void rawloop_stop(void) {
    uint64_t one = 1;
    if (write(stopper, &one, sizeof one) != sizeof one) return;
    pthread_join(server, NULL);
    close(listener);
    close(stopper);
}

// MARK: The load

static int connect_to(int port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    if (fd < 0) return -errno;
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

static int make_request(char *request, int capacity, int port, const char *path, int bodyLength) {
    int count = snprintf(
        request, capacity,
        "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUser-Agent: load/1.0\r\nAccept: application/json\r\n"
        "Content-Type: application/json\r\nAccept-Encoding: gzip\r\nContent-Length: %d\r\n\r\n",
        path, port, bodyLength
    );
    memset(request + count, 'q', bodyLength);
    return count + bodyLength;
}

struct rawloop_load rawloop_post(int port, const char *path, int connections, int64_t requests, int bodyLength) {
    struct rawloop_load load = {0};
    char *request = malloc(4096 + bodyLength), *buffer = malloc(BUFFER);
    int requestLength = make_request(request, 4096, port, path, bodyLength);
    int epoll = epoll_create1(EPOLL_CLOEXEC), *fds = calloc(connections, sizeof *fds);
    struct epoll_event event = {.events = EPOLLIN}, ready[BATCH];
    for (int i = 0; i < connections; i++) {
        fds[i] = connect_to(port);
        if (fds[i] < 0 || fds[i] >= 65536) {
            load.error = fds[i] < 0 ? -fds[i] : EMFILE;
            connections = i;
            break;
        }
        event.data.fd = fds[i];
        epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &event);
    }
    int64_t start = nanoseconds(CLOCK_MONOTONIC), cpu = nanoseconds(CLOCK_THREAD_CPUTIME_ID), sent = 0;
    for (int i = 0; i < connections && sent < requests; i++, sent++) send(fds[i], request, requestLength, MSG_NOSIGNAL);
    while (load.answered < sent && !load.error) {
        // It spins: a load that sleeps would have to be woken by the server's sends, the more the slower the server is.
        int count = epoll_wait(epoll, ready, BATCH, 0);
        if (count < 0) load.error = errno;
        for (int i = 0; i < count && !load.error; i++) {
            int fd = ready[i].data.fd;
            ssize_t got = recv(fd, buffer, BUFFER, 0);
            if (got <= 0) {
                load.error = ECONNRESET;
                break;
            }
            if (memcmp(buffer, "HTTP/1.1 200", 12) != 0 || message_length(buffer, (int)got) != got) load.error = EPROTO;
            load.answered++;
            if (sent < requests) {
                send(fd, request, requestLength, MSG_NOSIGNAL);
                sent++;
            }
        }
    }
    load.elapsed = nanoseconds(CLOCK_MONOTONIC) - start;
    load.cpu = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
    rawloop_close_all(fds, connections);
    close(epoll);
    free(fds);
    free(buffer);
    free(request);
    return load;
}

int rawloop_open_idle(int port, const char *path, int count, int *descriptors) {
    char request[4096], buffer[4096];
    int requestLength = make_request(request, 2048, port, path, 1400);
    for (int i = 0; i < count; i++) {
        int fd = connect_to(port);
        if (fd < 0) return i;
        descriptors[i] = fd;
        if (send(fd, request, requestLength, MSG_NOSIGNAL) != requestLength) return i + 1;
        if (recv(fd, buffer, sizeof buffer, 0) <= 0) return i + 1;
    }
    return count;
}

void rawloop_close_all(const int *descriptors, int count) {
    for (int i = 0; i < count; i++) close(descriptors[i]);
}
