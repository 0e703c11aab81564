#pragma once
#include <ares.h>
#include <arpa/nameser.h>
#include <poll.h>
#include <string.h>

// c-ares gives its sockets as a bitmap that macros read, and its options as a structure of many fields; these are one
// lookup of a name's TXT records, with the text of each in one piece.

typedef void (*latchkey_ares_record)(void *context, const unsigned char *bytes, size_t count, int begins);

struct latchkey_ares_lookup {
    int is_done;
    int status;
    void *context;
    latchkey_ares_record sink;
};

static inline int latchkey_ares_start(void) {
    return ares_library_init(ARES_LIB_INIT_ALL);
}

/// A channel that asks `servers` (`ADDRESS:PORT,…`; NULL: those of the system), each try within `timeout` milliseconds.
static inline int latchkey_ares_open(ares_channel *channel, const char *servers, int timeout, int tries) {
    struct ares_options options;
    memset(&options, 0, sizeof options);
    options.flags = ARES_FLAG_NOALIASES;
    options.timeout = timeout;
    options.tries = tries;
    options.lookups = (char *)"b";
    options.ndomains = 0;
    options.domains = NULL;
    int code = ares_init_options(
        channel, &options,
        ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS | ARES_OPT_DOMAINS
    );
    if (code == ARES_SUCCESS && servers != NULL) {
        code = ares_set_servers_ports_csv(*channel, servers);
        if (code != ARES_SUCCESS) ares_destroy(*channel);
    }
    return code;
}

static inline void latchkey_ares_answered(void *argument, int status, int timeouts, unsigned char *bytes, int count) {
    struct latchkey_ares_lookup *lookup = (struct latchkey_ares_lookup *)argument;
    (void)timeouts;
    lookup->is_done = 1;
    lookup->status = status;
    if (status != ARES_SUCCESS) return;
    struct ares_txt_ext *records = NULL;
    lookup->status = ares_parse_txt_reply_ext(bytes, count, &records);
    if (lookup->status != ARES_SUCCESS) return;
    for (struct ares_txt_ext *record = records; record != NULL; record = record->next) {
        lookup->sink(lookup->context, record->txt, record->length, record->record_start);
    }
    ares_free_data(records);
}

static inline void latchkey_ares_ask(ares_channel channel, const char *name, struct latchkey_ares_lookup *lookup) {
    ares_query(channel, name, ns_c_in, ns_t_txt, latchkey_ares_answered, lookup);
}

/// Waits for what the channel's sockets have, at most `milliseconds`, and works on it.
static inline void latchkey_ares_turn(ares_channel channel, int milliseconds) {
    ares_socket_t sockets[ARES_GETSOCK_MAXNUM];
    struct pollfd watched[ARES_GETSOCK_MAXNUM];
    int bits = ares_getsock(channel, sockets, ARES_GETSOCK_MAXNUM);
    nfds_t count = 0;
    for (int i = 0; i < ARES_GETSOCK_MAXNUM; i++) {
        short events = 0;
        if (ARES_GETSOCK_READABLE(bits, i)) events |= POLLIN;
        if (ARES_GETSOCK_WRITABLE(bits, i)) events |= POLLOUT;
        if (events == 0) continue;
        watched[count].fd = sockets[i];
        watched[count].events = events;
        watched[count].revents = 0;
        count++;
    }
    struct timeval limit = { milliseconds / 1000, (milliseconds % 1000) * 1000 }, next;
    struct timeval *wait = ares_timeout(channel, &limit, &next);
    int most = (int)(wait->tv_sec * 1000 + (wait->tv_usec + 999) / 1000);
    poll(watched, count, most);
    if (count == 0) ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
    for (nfds_t i = 0; i < count; i++) {
        int readable = watched[i].revents & (POLLIN | POLLERR | POLLHUP);
        int writable = watched[i].revents & (POLLOUT | POLLERR | POLLHUP);
        ares_process_fd(
            channel, readable ? watched[i].fd : ARES_SOCKET_BAD, writable ? watched[i].fd : ARES_SOCKET_BAD
        );
    }
}
