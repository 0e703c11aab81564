/// Deadlines by tick, on a wheel of slots: setting one costs an append, whatever their number.
///
/// An entry is a token that its owner understands. Entries are never taken out; the owner looks at its own deadline when
/// one fires, and puts another in when that is later.
struct TimerWheel {
    /// One tick, in nanoseconds.
    static let tick: Int64 = 33_554_432
    private static let slotCount = 2_048

    struct Entry {
        let token: UInt64
        let tick: Int64
    }

    private var slots = [[Entry]](repeating: [], count: slotCount)
    /// One bit a slot: not empty.
    private var occupied = [UInt64](repeating: 0, count: slotCount / 64)
    /// All up to and with this one have been fired.
    private var current: Int64
    /// No entry is before this one.
    private(set) var next = Int64.max

    /// A wheel on which everything up to `tick` is over.
    init(now tick: Int64) {
        current = tick
    }

    /// Puts an entry in, for the next tick at the earliest.
    mutating func insert(_ token: UInt64, at tick: Int64) {
        let tick = max(tick, current + 1)
        // What lies beyond the horizon is looked at again there.
        let stop = min(tick, current + Int64(Self.slotCount) - 1)
        let slot = Int(stop) & (Self.slotCount - 1)
        slots[slot].append(Entry(token: token, tick: tick))
        occupied[slot >> 6] |= 1 << UInt64(slot & 63)
        next = min(next, stop)
    }

    /// Takes out what is due at `now`.
    mutating func expire(now: Int64) -> [Entry] {
        guard now >= next else { return [] }
        var due: [Entry] = []
        var later: [Entry] = []
        var tick = max(next, current + 1)
        let last = min(now, current + Int64(Self.slotCount))
        while tick <= last {
            let slot = Int(tick) & (Self.slotCount - 1)
            if !slots[slot].isEmpty {
                for entry in slots[slot] {
                    if entry.tick <= now { due.append(entry) } else { later.append(entry) }
                }
                slots[slot].removeAll()
                occupied[slot >> 6] &= ~(1 << UInt64(slot & 63))
            }
            tick += 1
        }
        current = now
        next = firstOccupied()
        for entry in later { insert(entry.token, at: entry.tick) }
        return due
    }

    private func firstOccupied() -> Int64 {
        let start = current + 1
        var distance: Int64 = 0
        while distance < Int64(Self.slotCount) {
            let slot = Int(start + distance) & (Self.slotCount - 1)
            let word = occupied[slot >> 6] >> UInt64(slot & 63)
            if word != 0 { return start + distance + Int64(word.trailingZeroBitCount) }
            distance += Int64(64 - (slot & 63))
        }
        return .max
    }
}
