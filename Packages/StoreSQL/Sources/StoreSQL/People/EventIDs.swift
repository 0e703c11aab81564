import Identity
internal import Synchronization

/// The ids of audit events: in the order of time, and within a process in the order they were made.
///
/// Behind the time come six bytes that are this process's own, and a count of four bytes: two events of one process
/// differ by the count, those of two by what each drew when it began.
enum EventIDs {
    private static let ofProcess = (0..<6).map { _ in UInt8.random(in: .min ... .max) }
    private static let count = Atomic<UInt32>(0)

    static func next(at time: UnixTime) -> TimeOrderedID {
        let number = count.wrappingAdd(1, ordering: .relaxed).oldValue
        let tail = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32($0))) }
        return TimeOrderedID(now: time, random: ofProcess + tail)
    }
}
