import CLinux
import Threads

extension Loop {
    var executor: any TaskExecutor { self }

    func watch(
        _ descriptor: Int32,
        for interest: Readiness,
        _ onReady: @escaping @Sendable (Readiness) -> Void
    ) -> any DescriptorWatch {
        let watch = Watch(descriptor, uniqueToken(.watch), self, interest, onReady)
        perform { [self] in
            watches[watch.token] = watch
            if latchkey_epoll_add(epoll, descriptor, interest.events, watch.token) != 0 {
                watches[watch.token] = nil
                watch.isOver = true
                // It cannot be watched, so it is no descriptor that something will ever come from.
                onReady(.closed)
            }
        }
        return watch
    }

    func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> any ScheduledCall {
        let token = uniqueToken(.call)
        let due = latchkey_monotonic_nanoseconds().addingReportingOverflow(max(0, delay.wholeNanoseconds))
        perform { [self] in
            calls[token] = body
            wheel.insert(token, at: due.overflow ? .max : due.partialValue / TimerWheel.tick + 1)
        }
        return Call(token: token, loop: self)
    }

    func ready(watch token: UInt64, _ events: UInt32) {
        guard let watch = watches[token] else { return }
        var readiness: Readiness = []
        if events & EPOLLIN.rawValue != 0 { readiness.insert(.readable) }
        if events & EPOLLOUT.rawValue != 0 { readiness.insert(.writable) }
        if events & (EPOLLHUP.rawValue | EPOLLERR.rawValue | EPOLLRDHUP.rawValue) != 0 { readiness.insert(.closed) }
        watch.onReady(readiness)
    }

    fileprivate func change(_ watch: Watch, to interest: Readiness) {
        guard !watch.isOver, interest != watch.interest else { return }
        watch.interest = interest
        _ = latchkey_epoll_change(epoll, watch.descriptor, interest.events, watch.token)
    }

    fileprivate func cancel(_ watch: Watch) {
        guard !watch.isOver else { return }
        watch.isOver = true
        watches[watch.token] = nil
        _ = latchkey_epoll_remove(epoll, watch.descriptor)
    }
}

extension Readiness {
    fileprivate var events: UInt32 {
        var events: UInt32 = 0
        if contains(.readable) { events |= EPOLLIN.rawValue | EPOLLRDHUP.rawValue }
        if contains(.writable) { events |= EPOLLOUT.rawValue }
        return events
    }
}

/// A descriptor that is someone else's.
final class Watch: DescriptorWatch, @unchecked Sendable {
    // Sendable: the variables are touched on the loop's thread only.
    let descriptor: Int32
    let token: UInt64
    let loop: Loop
    let onReady: @Sendable (Readiness) -> Void
    var interest: Readiness
    var isOver = false

    init(
        _ descriptor: Int32,
        _ token: UInt64,
        _ loop: Loop,
        _ interest: Readiness,
        _ onReady: @escaping @Sendable (Readiness) -> Void
    ) {
        self.descriptor = descriptor
        self.token = token
        self.loop = loop
        self.interest = interest
        self.onReady = onReady
    }

    func change(to interest: Readiness) {
        loop.perform { [self] in loop.change(self, to: interest) }
    }

    func cancel() {
        loop.perform { [self] in loop.cancel(self) }
    }
}

/// A call that is due later.
private struct Call: ScheduledCall {
    let token: UInt64
    let loop: Loop

    func cancel() {
        loop.perform { [self] in loop.calls[token] = nil }
    }
}
