import Glibc

/// Microseconds of CPU that one run takes.
struct Measurement {
    /// The signature check alone; 0 where there is none.
    let raw: Double
    let ceremony: Double
}

/// Runs both in short turns, and takes the best of each: what else the machine does only ever adds.
func measure(rounds: Int, raw: () -> Void, ceremony: () throws -> Void) rethrows -> Measurement {
    let repetitions = 100
    var rawTimes: [Double] = []
    var ceremonyTimes: [Double] = []
    for _ in 0..<max(1, rounds) {
        var start = cpuNanoseconds()
        for _ in 0..<repetitions { raw() }
        rawTimes.append(Double(cpuNanoseconds() - start) / 1000 / Double(repetitions))
        start = cpuNanoseconds()
        for _ in 0..<repetitions { try ceremony() }
        ceremonyTimes.append(Double(cpuNanoseconds() - start) / 1000 / Double(repetitions))
    }
    return Measurement(raw: rawTimes.min() ?? 0, ceremony: ceremonyTimes.min() ?? 0)
}

func report(_ name: String, _ result: Measurement, _ limit: Double, _ target: String) {
    let hasRaw = result.raw > 1
    print(
        padded(name, 34),
        padded(hasRaw ? rounded(result.raw) : "-", 9),
        padded(rounded(result.ceremony), 9),
        padded(hasRaw ? rounded(result.ceremony / result.raw) : "-", 7),
        padded(hasRaw ? rounded(result.ceremony - result.raw) : "-", 8),
        "<= \(target) = \(rounded(limit)): \(result.ceremony <= limit ? "met" : "MISSED")"
    )
}

func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}

private func rounded(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
}

/// The CPU time of this thread.
func cpuNanoseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
