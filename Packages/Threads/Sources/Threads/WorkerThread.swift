import CThreads

/// Why a thread could not be started: the system's `errno`.
public struct ThreadError: Error, Hashable {
    public let code: Int32
}

/// One pthread that runs a closure and can be joined.
///
/// For C calls that wait and for event loops; nothing of it is on Swift's shared pool.
@safe public final class WorkerThread: Sendable {
    private let handle: Lock<pthread_t?>

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: what `top -H` and a debugger show; the first 15 bytes count.
    ///   - stackSize: in bytes. Pages that are never touched cost nothing.
    ///   - body: what the thread runs. It ends when this returns.
    /// - Throws: when the system has no thread left.
    public init(
        name: String,
        stackSize: Int = 2 << 20,
        _ body: @escaping @Sendable () -> Void
    ) throws(ThreadError) {
        let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        unsafe pthread_attr_setstacksize(&attributes, max(stackSize, 256 << 10))
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread,
            &attributes,
            { context in
                guard let context = unsafe context else { return nil }
                let start = unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
                unsafe latchkey_name_current_thread(start.name)
                start.body()
                return nil
            },
            start.toOpaque()
        )
        unsafe pthread_attr_destroy(&attributes)
        guard code == 0 else {
            unsafe start.release()
            throw ThreadError(code: code)
        }
        handle = Lock(thread)
    }

    deinit {
        if let thread = handle.withLock({ $0 }) { pthread_detach(thread) }
    }

    /// Waits until the closure has returned. The second and later calls return at once.
    ///
    /// Never call it on the thread itself.
    public func join() {
        let taken = handle.withLock { thread in
            let taken = thread
            thread = nil
            return taken
        }
        if let taken { pthread_join(taken, nil) }
    }

    /// Gives the calling thread the lowest priority there is.
    static func lowerPriority() { latchkey_lower_current_thread() }

    private final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = String(decoding: name.utf8.prefix(15), as: UTF8.self)
            self.body = body
        }
    }
}
