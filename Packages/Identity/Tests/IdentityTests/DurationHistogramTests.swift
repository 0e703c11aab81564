import Identity
import Testing

@Suite("Design §10: store latencies and pool waits")
struct DurationHistogramTests {
    @Test("A time falls into the first class that reaches to it, whatever it is")
    func classes() {
        for (time, place) in [
            (Duration.zero, 0), (.seconds(-5), 0), (.milliseconds(1), 0), (.microseconds(1001), 1),
            (.milliseconds(2), 1),
            (.milliseconds(1000), 9), (.milliseconds(1001), 10), (.seconds(Int64.max), 10),
        ] {
            let histogram = DurationHistogram()
            histogram.note(time)
            let snapshot = histogram.snapshot
            #expect(snapshot.counts.firstIndex(of: 1) == place, "\(time)")
            #expect(snapshot.total == 1)
            #expect(snapshot.microseconds >= 0)
        }
    }
}
