import Settings

// Settings, HTTPServer and HTTPAPI each have words of their own for addresses and limits, and two of these modules have
// a type of their own name, so that `Settings.ListenAddress` cannot be said. These are the configured ones.
typealias ConfiguredAddress = ListenAddress
typealias ConfiguredRateLimit = RateLimit
