import CLinux
import Synchronization
public import Threads

/// An HTTP/1.1 server on event loops of its own.
///
///     let server = try HTTPServer(configuration)     // the loops run: databases can watch their sockets on them
///     try server.start(handler)                      // the listeners are open
///     …
///     await server.drain(timeout: .seconds(20))      // everything in flight was answered
///     server.stop()                                  // the threads are gone
///
/// Always ``stop()`` it before the process ends: libcrypto takes its tables down at exit, under threads that run.
public final class HTTPServer: Sendable {
    private struct State {
        var listeners: [Listener] = []
        var watcher: CertificateWatcher?
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
        var undrained = 0
        var isStopped = false
    }

    private let shared: Shared
    private let eventLoops: [Loop]
    private let state = Lock(State())

    /// Starts the event loops. Nothing listens yet.
    ///
    /// SIGPIPE is ignored in the whole process from now on, since libssl writes to sockets that may be closed.
    ///
    /// - Throws: when the system has no descriptors or threads left.
    public init(_ configuration: ServerConfiguration) throws(ServerError) {
        latchkey_ignore_broken_pipes()
        let shared = Shared(configuration)
        var loops: [Loop] = []
        do throws(ServerError) {
            for number in 0..<max(1, configuration.loopCount ?? Int(latchkey_core_count())) {
                let loop = try Loop(number: number, shared: shared)
                try loop.start()
                loops.append(loop)
            }
        } catch {
            for loop in loops { loop.stop() }
            throw error
        }
        shared.watchingLoops.store(loops.count, ordering: .releasing)
        self.shared = shared
        eventLoops = loops
    }

    /// The event loops, for adapters that watch sockets of their own, and as executors for tasks.
    public var loops: [any DescriptorWatcher] { eventLoops }

    /// Opens every listener and begins to answer: ``listen()`` and ``begin(_:)`` in one. Call it once.
    ///
    /// - Throws: when an address cannot be had or a certificate cannot be used; then nothing listens.
    public func start(_ handler: any HTTPHandler) throws(ServerError) {
        try listen()
        begin(handler)
    }

    /// Opens every listener. Clients can connect from now on, and wait until ``begin(_:)``: so a program knows that it
    /// has its addresses before it opens its stores. Call it once.
    ///
    /// - Throws: when an address cannot be had or a certificate cannot be used; then nothing listens.
    public func listen() throws(ServerError) {
        let configuration = shared.configuration
        let files = configuration.listeners.compactMap(\.tls)
        let states = files.map { FileStates($0) }
        var listeners: [Listener] = []
        var watcher: CertificateWatcher?
        do throws(ServerError) {
            for listener in configuration.listeners { listeners.append(try Listener(listener)) }
            if !files.isEmpty, configuration.certificateCheckInterval > .zero {
                watcher = try CertificateWatcher(
                    files,
                    states,
                    every: configuration.certificateCheckInterval
                ) { [weak self] changed in self?.reload { $0 == changed } }
            }
        } catch {
            for listener in listeners { listener.close() }
            throw error
        }
        let (opened, watching) = (listeners, watcher)
        state.withLock { state in
            state.listeners = opened
            state.watcher = watching
        }
    }

    /// Begins to answer on the listeners that are open. Call it once.
    public func begin(_ handler: any HTTPHandler) {
        let listeners = state.withLock { state in state.listeners }
        for loop in eventLoops {
            loop.perform { [eventLoops] in loop.begin(listeners, handler, peers: eventLoops) }
        }
    }

    /// Where it listens, in the order of the configuration, with the ports that the system chose.
    public var boundAddresses: [ListenAddress] {
        state.withLock { state in state.listeners.map(\.address) }
    }

    /// What it has done so far.
    public var metrics: ServerMetrics {
        var sum = ServerMetrics()
        for loop in eventLoops { loop.counters.add(to: &sum) }
        return sum
    }

    /// Whether ``drain(timeout:)`` has been called: readiness should say no.
    public var isDraining: Bool { shared.isDraining.load(ordering: .relaxed) }

    /// Reads all certificates and keys again. Connections that are open keep what they have.
    ///
    /// - Throws: the first that cannot be used; its listener goes on with the old one.
    public func reloadTLS() throws(ServerError) {
        if let error = reload({ _ in true }) { throw error }
    }

    @discardableResult
    private func reload(_ isMeant: (TLSFiles) -> Bool) -> ServerError? {
        var first: ServerError?
        for listener in state.withLock({ state in state.listeners }) {
            guard let files = listener.files, isMeant(files) else { continue }
            do throws(ServerError) {
                try listener.reload()
                shared.configuration.onEvent(.certificateReloaded(path: files.certificate))
            } catch {
                first = first ?? error
                shared.configuration.onEvent(.certificateNotReloaded(error))
            }
        }
        return first
    }

    /// Takes no more connections, closes idle ones, and answers every request that is in flight or has begun, with
    /// `Connection: close`.
    ///
    /// - Parameter timeout: how long to wait.
    /// - Returns: whether everything was answered and all connections are closed.
    @discardableResult
    public func drain(timeout: Duration) async -> Bool {
        let isFirst = !shared.isDraining.exchange(true, ordering: .acquiringAndReleasing)
        return unsafe await withUnsafeContinuation { continuation in
            let waiter = unsafe Waiter(continuation)
            let (id, answer) = state.withLock { state -> (Int, Bool?) in
                if isFirst { state.undrained = eventLoops.count }
                if state.isStopped { return (0, false) }
                if !isFirst, state.undrained == 0 { return (0, true) }
                state.nextWaiter += 1
                state.waiters[state.nextWaiter] = waiter
                return (state.nextWaiter, nil)
            }
            if let answer { return waiter.resume(answer) }
            _ = eventLoops.first?.schedule(after: timeout) { [weak self] in self?.resume(id, false) }
            guard isFirst else { return }
            for loop in eventLoops {
                loop.perform { [self] in
                    loop.whenDrained = { [self] in loopDrained() }
                    loop.unwatchListeners(eventLoops)
                }
            }
        }
    }

    /// A task that waits for the end of the drain. It is in the dictionary once, and whoever takes it out resumes it.
    @safe private struct Waiter: Sendable {
        private let continuation: UnsafeContinuation<Bool, Never>

        init(_ continuation: UnsafeContinuation<Bool, Never>) {
            unsafe self.continuation = unsafe continuation
        }

        func resume(_ answer: Bool) {
            unsafe continuation.resume(returning: answer)
        }
    }

    private func loopDrained() {
        let waiters = state.withLock { state in
            state.undrained -= 1
            return state.undrained == 0 ? Array(state.waiters.keys) : []
        }
        for id in waiters { resume(id, true) }
    }

    private func resume(_ id: Int, _ answer: Bool) {
        state.withLock { state in state.waiters.removeValue(forKey: id) }?.resume(answer)
    }

    /// Closes everything that is still open and ends the threads. It blocks until they have ended; never call it on one
    /// of the loops, that is: in a handler.
    ///
    /// Handlers that are still at work are cancelled and finish on Swift's own threads.
    public func stop() {
        let (listeners, watcher, waiters) = state.withLock { state in
            let taken = (state.listeners, state.watcher, Array(state.waiters.keys))
            state.isStopped = true
            state.watcher = nil
            return taken
        }
        watcher?.stop()
        for loop in eventLoops { loop.stop() }
        for listener in listeners { listener.close() }
        for id in waiters { resume(id, false) }
    }
}
