import CLinux
import Synchronization
import Threads

/// One event loop: a thread with an epoll descriptor, the connections that were given to it, and the tasks of their
/// requests, for which it is the executor.
///
/// After each event it runs the jobs that became ready. What other threads resume comes back here by itself,
/// so nothing that belongs to a connection needs a lock.
final class Loop: TaskExecutor, DescriptorWatcher, @unchecked Sendable {
    // Sendable: all variables below `inbox` and its neighbours are touched on the loop's own thread only.

    /// What an event is about. It is the top byte of the token that epoll and the wheel hand back.
    enum Kind: UInt64 {
        case wake, timer, listener, connection, watch, call
    }

    private struct Inbox {
        var jobs: [UnownedJob] = []
        var calls: [@Sendable () -> Void] = []
        var isOver = false
    }

    static let readBufferSize = 64 << 10

    let number: Int
    let shared: Shared
    let counters = LoopCounters()
    /// Connections that it has or that are on their way to it.
    let load = Atomic<Int>(0)
    private let inbox = Lock(Inbox())
    private let thread = Lock<WorkerThread?>(nil)
    private let threadID = Atomic<UInt>(0)
    private let isStopping = Atomic<Bool>(false)
    private let nextID = Atomic<UInt64>(0)
    let epoll: Int32
    private let wakeDescriptor: Int32
    /// Goes off at the wheel's next entry. It is set when that changes, so that a wait needs no clock.
    private let timer: Int32

    // MARK: On the loop's thread only

    private var jobs: [UnownedJob] = []
    var handler: (any HTTPHandler)?
    var peers: [Loop] = []
    var listeners: [Listener] = []
    var slots: [Connection?] = []
    var freeSlots: [Int] = []
    var generation: UInt32 = 0
    /// Connections to go on with after the events: they have parked bytes, or more than their share to move.
    var queue: [Connection] = []
    var readBuffer = [UInt8](repeating: 0, count: readBufferSize)
    var writeBuffer: [UInt8] = []
    var wheel: TimerWheel
    private var timerTick = Int64.max
    /// The tick of this batch.
    var now: Int64
    var lastDeadline = Duration.zero
    var lastDeadlineTicks: Int64 = 1
    var dateSecond: Int64 = -1
    var dateField: [UInt8] = []
    var watches: [UInt64: Watch] = [:]
    var calls: [UInt64: @Sendable () -> Void] = [:]
    var inFlight = 0
    var isDraining = false
    var whenDrained: (@Sendable () -> Void)?

    init(number: Int, shared: Shared) throws(ServerError) {
        self.number = number
        self.shared = shared
        epoll = latchkey_epoll()
        wakeDescriptor = latchkey_eventfd()
        timer = latchkey_timer()
        now = latchkey_monotonic_nanoseconds() / TimerWheel.tick
        wheel = TimerWheel(now: now)
        let worst = min(epoll, wakeDescriptor, timer)
        guard worst >= 0 else { throw .outOfResources(reason: systemReason(-worst)) }
        // Edge-triggered: each write to the one and each end of the other is an event, and they need never be read.
        for (descriptor, kind) in [(wakeDescriptor, Kind.wake), (timer, Kind.timer)] {
            let code = latchkey_epoll_add(epoll, descriptor, EPOLLIN.rawValue | EPOLLET.rawValue, Self.token(kind))
            guard code == 0 else { throw .outOfResources(reason: systemReason(-code)) }
        }
    }

    deinit {
        if epoll >= 0 { latchkey_close(epoll) }
        if wakeDescriptor >= 0 { latchkey_close(wakeDescriptor) }
        if timer >= 0 { latchkey_close(timer) }
    }

    /// The kind, 24 bits that say which, and 32 that say which user of the place.
    static func token(_ kind: Kind, _ number: Int = 0, generation: UInt32 = 0) -> UInt64 {
        kind.rawValue << 56 | UInt64(number & 0xFF_FFFF) << 32 | UInt64(generation)
    }

    /// A token that no other has, for what is found in a dictionary.
    func uniqueToken(_ kind: Kind) -> UInt64 {
        kind.rawValue << 56 | nextID.add(1, ordering: .relaxed).newValue & 0xFF_FFFF_FFFF_FFFF
    }

    // MARK: Any thread

    /// Starts the thread.
    func start() throws(ServerError) {
        do throws(ThreadError) {
            let started = try WorkerThread(name: "http-\(number)") { [self] in run() }
            thread.withLock { $0 = started }
        } catch {
            throw .outOfResources(reason: systemReason(error.code))
        }
    }

    /// Whether the caller is on the loop's thread.
    var isCurrent: Bool {
        latchkey_is_current_thread(pthread_t(threadID.load(ordering: .relaxed))) != 0
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            jobs.append(job)
            return
        }
        let (wake, isOver) = inbox.withLock { inbox in
            if inbox.isOver { return (false, true) }
            let wake = inbox.jobs.isEmpty && inbox.calls.isEmpty
            inbox.jobs.append(job)
            return (wake, false)
        }
        if wake { latchkey_wake(wakeDescriptor) }
        // A task that outlives the server finishes on Swift's own threads.
        if isOver { globalConcurrentExecutor.enqueue(job) }
    }

    /// Calls `body` on the loop's thread: at once when that is the caller's, else soon.
    ///
    /// - Returns: whether it will be called; not when the loop has ended.
    @discardableResult
    func perform(_ body: @escaping @Sendable () -> Void) -> Bool {
        if isCurrent {
            body()
            return true
        }
        let (wake, isOver) = inbox.withLock { inbox in
            if inbox.isOver { return (false, true) }
            let wake = inbox.jobs.isEmpty && inbox.calls.isEmpty
            inbox.calls.append(body)
            return (wake, false)
        }
        if wake { latchkey_wake(wakeDescriptor) }
        return !isOver
    }

    /// Ends the loop and waits for its thread.
    func stop() {
        isStopping.store(true, ordering: .releasing)
        latchkey_wake(wakeDescriptor)
        thread.withLock { thread in
            let taken = thread
            thread = nil
            return taken
        }?.join()
    }

    // MARK: The loop's thread

    private func run() {
        threadID.store(UInt(pthread_self()), ordering: .relaxed)
        var tokens = [UInt64](repeating: 0, count: 256)
        var events = [UInt32](repeating: 0, count: 256)
        while !isStopping.load(ordering: .acquiring) {
            if wheel.next != timerTick { setTimer() }
            let wait: Int32 = queue.isEmpty && jobs.isEmpty ? -1 : 0
            let count = unsafe latchkey_epoll_wait(epoll, &tokens, &events, 256, wait)
            now = latchkey_monotonic_nanoseconds() / TimerWheel.tick
            for index in 0..<max(0, Int(count)) {
                dispatch(tokens[index], events[index])
                // Not after all events: what a request has touched is still in the caches, and its answer goes out.
                if !jobs.isEmpty { runJobs() }
            }
            if !queue.isEmpty { goOnWithQueue() }
            if now >= wheel.next {
                for entry in wheel.expire(now: now) { fire(entry) }
            }
            if !jobs.isEmpty { runJobs() }
        }
        end()
    }

    private func setTimer() {
        timerTick = wheel.next
        latchkey_set_timer(timer, timerTick == .max ? 0 : timerTick * TimerWheel.tick)
    }

    private func dispatch(_ token: UInt64, _ events: UInt32) {
        let number = (token >> 32) & 0xFF_FFFF
        switch Kind(rawValue: token >> 56) {
        case .wake: takeInbox()
        case .timer: timerTick = .max
        case .listener: accept(from: Int(number))
        case .connection:
            if let connection = connection(Int(number), UInt32(truncatingIfNeeded: token)) { ready(connection, events) }
        case .watch: ready(watch: token, events)
        case .call, nil: break
        }
    }

    private func fire(_ entry: TimerWheel.Entry) {
        let number = (entry.token >> 32) & 0xFF_FFFF
        switch Kind(rawValue: entry.token >> 56) {
        case .connection:
            if let connection = connection(Int(number), UInt32(truncatingIfNeeded: entry.token)) {
                due(connection, at: entry.tick)
            }
        case .call:
            calls.removeValue(forKey: entry.token)?()
        case .wake, .timer, .listener, .watch, nil: break
        }
    }

    private func takeInbox() {
        let (waiting, calls) = inbox.withLock { inbox in
            let taken = (inbox.jobs, inbox.calls)
            inbox.jobs = []
            inbox.calls = []
            return taken
        }
        jobs.append(contentsOf: waiting)
        for call in calls { call() }
    }

    /// Runs what is ready, and what becomes ready by that, but looks at the sockets again in between.
    private func runJobs() {
        let executor = unsafe asUnownedTaskExecutor()
        for _ in 0..<8 where !jobs.isEmpty {
            var batch: [UnownedJob] = []
            swap(&batch, &jobs)
            for job in batch { unsafe job.runSynchronously(on: executor) }
            batch.removeAll(keepingCapacity: true)
            if jobs.isEmpty { swap(&batch, &jobs) }
        }
    }

    /// Closes everything. Jobs that are left, and those that are still to come, go to Swift's own threads.
    private func end() {
        for connection in slots { if let connection { close(connection) } }
        listeners = []
        calls = [:]
        watches = [:]
        peers = []
        whenDrained = nil
        takeInbox()
        for connection in slots { if let connection { close(connection) } }
        threadID.store(0, ordering: .relaxed)
        let late = inbox.withLock { inbox in
            inbox.isOver = true
            let late = inbox.jobs
            inbox.jobs = []
            return late
        }
        for job in jobs + late { globalConcurrentExecutor.enqueue(job) }
        jobs = []
    }
}
