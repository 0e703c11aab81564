public import Identity

/// What the metrics say of the stores, in the Prometheus text format.
public enum StoreMetrics {
    /// A store and how it does.
    public struct Store: Sendable {
        /// `store` or `cache`, as `/readyz` calls them.
        public let name: String
        public let vitals: StoreVitals

        public init(name: String, vitals: StoreVitals) {
            self.name = name
            self.vitals = vitals
        }
    }

    static func text(_ stores: [Store]) -> String {
        var text = ""
        for family in families {
            let rows = stores.compactMap { store in
                family.value(store.vitals).map {
                    "\(family.name){store=\"\(store.name)\"} \($0)\n"
                }
            }
            text += head(family.name, family.help, family.kind, rows)
        }
        for family in histograms {
            let rows = stores.flatMap { store in
                family.value(store.vitals).map { self.rows(family.name, store.name, $0) } ?? []
            }
            text += head(family.name, family.help, "histogram", rows)
        }
        return text
    }

    /// The rows with what has to stand before them once; nothing when there are none.
    private static func head(_ name: String, _ help: String, _ kind: String, _ rows: [String]) -> String {
        rows.isEmpty ? "" : "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n" + rows.joined()
    }

    private static func rows(_ name: String, _ store: String, _ snapshot: DurationHistogram.Snapshot) -> [String] {
        var sum = 0
        var rows: [String] = []
        for (bound, count) in zip(DurationHistogram.bounds, snapshot.counts) {
            sum += count
            rows.append("\(name)_bucket{store=\"\(store)\",le=\"\(decimal(bound * 1000))\"} \(sum)\n")
        }
        rows.append("\(name)_bucket{store=\"\(store)\",le=\"+Inf\"} \(snapshot.total)\n")
        rows.append("\(name)_sum{store=\"\(store)\"} \(decimal(snapshot.microseconds))\n")
        rows.append("\(name)_count{store=\"\(store)\"} \(snapshot.total)\n")
        return rows
    }

    /// Microseconds as seconds, with all their digits.
    private static func decimal(_ microseconds: Int64) -> String {
        let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        guard rest != 0 else { return "\(seconds)" }
        var digits = String(repeating: "0", count: max(0, 6 - String(rest).count)) + "\(rest)"
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(seconds).\(digits)"
    }

    private struct Family: Sendable {
        let name: String
        let help: String
        let kind: String
        let value: @Sendable (StoreVitals) -> Int?
    }

    private static let families = [
        Family(name: "latchkey_store_breaker_open", help: "1 while its breaker refuses every call.", kind: "gauge") {
            $0.isBreakerOpen.map { $0 ? 1 : 0 }
        },
        Family(
            name: "latchkey_store_breaker_openings_total",
            help: "How often its breaker has opened.",
            kind: "counter"
        ) { $0.breakerOpenings },
        Family(
            name: "latchkey_store_unanswered_total",
            help: "Calls that it never answered.",
            kind: "counter"
        ) { $0.unanswered },
        Family(name: "latchkey_store_connections", help: "Connections that are open.", kind: "gauge") {
            $0.openConnections
        },
        Family(name: "latchkey_store_connections_busy", help: "Connections that are in use.", kind: "gauge") {
            $0.busyConnections
        },
        Family(name: "latchkey_store_waiting", help: "Calls that wait for a connection.", kind: "gauge") {
            $0.waiting
        },
        Family(name: "latchkey_pending_ceremonies", help: "Challenges that wait for their answer.", kind: "gauge") {
            $0.pendingCeremonies
        },
    ]

    private static let histograms:
        [(name: String, help: String, value: @Sendable (StoreVitals) -> DurationHistogram.Snapshot?)] = [
            ("latchkey_store_call_seconds", "How long calls took, answered or not.", { $0.calls }),
            (
                "latchkey_store_connection_wait_seconds", "How long calls waited for a connection.",
                { $0.connectionWaits }
            ),
        ]
}
