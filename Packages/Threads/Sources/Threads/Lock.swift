import CThreads

/// A value behind a mutex, for short work: nothing that waits belongs inside.
///
/// It is a `pthread_mutex_t` and not `Synchronization.Mutex`, because ThreadSanitizer understands the former and
/// reports every use of the latter as a race. Not recursive: taking it twice on one thread waits for ever.
@safe public final class Lock<State: ~Copyable>: @unchecked Sendable {
    // Sendable is proved by the mutex: `state` is touched between `acquire` and `release` only.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline var state: State

    /// Makes an open lock around `state`, which no one else may still hold.
    public init(_ state: consuming sending State) {
        self.state = state
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs `body` with the state while no other thread can.
    ///
    /// - Throws: what `body` throws, with its type.
    @inlinable
    public func withLock<Value: ~Copyable, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Value
    ) throws(Failure) -> sending Value {
        acquire()
        defer { release() }
        return try body(&state)
    }

    @usableFromInline func acquire() { unsafe pthread_mutex_lock(mutex) }
    @usableFromInline func release() { unsafe pthread_mutex_unlock(mutex) }
}
