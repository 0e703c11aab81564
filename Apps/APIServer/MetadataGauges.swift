import HTTPAPI
import Identity
import Passkeys
import WebAuthn

/// What `/metrics` says of the metadata of authenticators, so that somebody is called before it is stale.
enum MetadataGauges {
    /// The numbers of what is in use; where nothing was imported, that there are no models.
    static func of(_ cache: MetadataCache, now: UnixTime) -> [AdminAPI.Gauge] {
        let metadata = cache.current
        var gauges = [gauge("models", "Models that the metadata of authenticators describes.", metadata?.count ?? 0)]
        guard let metadata, let importedAt = cache.importedAt else { return gauges }
        gauges += [
            gauge("number", "The number (no) of the metadata in use.", Int(clamping: metadata.number)),
            gauge(
                "age_seconds",
                "Seconds since the metadata in use was imported.",
                Int(clamping: now.milliseconds(since: importedAt) / 1000)
            ),
            gauge(
                "next_update_seconds",
                "When newer metadata should be there, in Unix seconds.",
                Int(clamping: metadata.staleAt)
            ),
            gauge(
                "stale",
                "1 when newer metadata should be there already.",
                metadata.isStale(at: now.seconds) ? 1 : 0
            ),
        ]
        return gauges
    }

    private static func gauge(_ name: String, _ help: String, _ value: Int) -> AdminAPI.Gauge {
        AdminAPI.Gauge(name: "latchkey_metadata_" + name, help: help, kind: "gauge", value: value)
    }
}
