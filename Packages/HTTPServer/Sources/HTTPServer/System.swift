import CLinux

/// What the system says of an error number.
func systemReason(_ code: Int32) -> String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
}

extension Duration {
    /// In nanoseconds, at most some 292 years.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, over) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return over ? .max : sum
    }

    /// In ticks of the wheel, so many that it is over whenever in its tick it began.
    var ticks: Int64 {
        max(0, wholeNanoseconds) / TimerWheel.tick + 2
    }
}
