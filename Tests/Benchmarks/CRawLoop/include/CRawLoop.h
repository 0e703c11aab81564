#pragma once
#include <stdint.h>

// What the engine is measured against: as little C as can answer a POST with an epoll loop, and the load for both.

/// Starts a thread that answers every request on 127.0.0.1 with one canned response. Returns the port, or -errno.
int rawloop_start(void);

/// Ends the thread and waits for it.
void rawloop_stop(void);

struct rawloop_load {
    /// Requests that were answered.
    int64_t answered;
    /// The wall time, and the CPU time that the load itself took, in nanoseconds.
    int64_t elapsed, cpu;
    /// 0, or the errno of what went wrong.
    int error;
};

/// Posts `requests` times over `connections` connections that stay open, each with one request under way, and waits for
/// every answer. The body has `bodyLength` bytes. Runs on the calling thread.
struct rawloop_load rawloop_post(int port, const char *path, int connections, int64_t requests, int bodyLength);

/// Opens connections, sends one request on each and reads its answer; they stay open in `descriptors`. Returns how many.
int rawloop_open_idle(int port, const char *path, int count, int *descriptors);

void rawloop_close_all(const int *descriptors, int count);

/// CPU time of the whole process, in nanoseconds.
int64_t rawloop_process_cpu(void);

/// Resident memory of the process, in bytes.
int64_t rawloop_resident(void);

/// Threads that the caller starts from now on stay off the last core.
void rawloop_spread_servers(void);

/// Keeps the caller, which makes the load, on the last core. Where the two run moves the cost by a quarter.
void rawloop_pin_load(void);

/// Lets the process have as many descriptors as it may.
void rawloop_raise_descriptors(void);
