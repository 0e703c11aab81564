import CThreads

/// A mutex with one condition, on the monotonic clock.
@safe final class Monitor: @unchecked Sendable {
    // Sendable: both are made for use by many threads, and the pointers never change.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe condition = .allocate(capacity: 1)
        unsafe condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe condition.deallocate()
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    func lock() { unsafe pthread_mutex_lock(mutex) }
    func unlock() { unsafe pthread_mutex_unlock(mutex) }

    /// Lets the lock go, sleeps until signalled (or for no reason at all), and takes the lock again.
    func wait() { unsafe pthread_cond_wait(condition, mutex) }

    /// The same, but no longer than `nanoseconds`.
    func wait(nanoseconds: Int64) {
        var end = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &end)
        let (seconds, rest) = (max(0, nanoseconds) / 1_000_000_000, max(0, nanoseconds) % 1_000_000_000)
        end.tv_sec += Int(seconds)
        end.tv_nsec += Int(rest)
        if end.tv_nsec >= 1_000_000_000 {
            end.tv_sec += 1
            end.tv_nsec -= 1_000_000_000
        }
        unsafe pthread_cond_timedwait(condition, mutex, &end)
    }

    func signal() { unsafe pthread_cond_signal(condition) }
    func broadcast() { unsafe pthread_cond_broadcast(condition) }
}
