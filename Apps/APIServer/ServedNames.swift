import HTTPServer

/// What the engine listens on, as against ``ConfiguredAddress``.
typealias ServedAddress = ListenAddress
/// An address in the engine's form.
typealias ServedIPAddress = IPAddress
