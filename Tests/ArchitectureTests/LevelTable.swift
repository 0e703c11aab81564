/// The level of each package, and what it may import: the table of docs/architecture.md, which must say the same.
///
/// `Encodings` may be imported from level 1 up and is not listed again.
enum LevelTable {
    static let useCases: Set<String> = ["Passkeys", "Accounts", "Tokens", "Tenancy"]

    static let rows: [String: (level: Int, mayImport: Set<String>)] = [
        "Encodings": (0, []),
        "CBOR": (0, []),
        "Cryptography": (0, []),
        "YAML": (0, []),
        "Unicode": (0, []),
        "PublicSuffix": (0, []),
        "QRCode": (0, []),
        "Transfer": (0, []),
        "DNS": (0, []),
        "Threads": (0, []),
        "HTTPServer": (1, ["Threads"]),
        "Settings": (1, ["YAML"]),
        "Terminal": (1, ["YAML"]),
        "Pages": (1, []),
        "COSE": (1, ["CBOR", "Cryptography"]),
        "JOSE": (1, ["Cryptography"]),
        "WebAuthn": (2, ["CBOR", "COSE", "JOSE", "Cryptography"]),
        "SoftwareAuthenticator": (3, ["COSE", "CBOR", "JOSE", "Cryptography", "WebAuthn"]),
        "Identity": (3, ["WebAuthn", "Unicode"]),
        "Passkeys": (4, ["Identity", "WebAuthn", "Cryptography"]),
        "Accounts": (4, ["Identity", "Cryptography", "Threads"]),
        "Audit": (4, ["Identity", "Cryptography"]),
        "Mail": (4, ["Identity", "Cryptography", "Unicode", "Transfer", "Threads"]),
        "Tokens": (4, ["Identity", "JOSE", "Cryptography", "Threads"]),
        "Tenancy": (4, ["Identity", "WebAuthn", "Cryptography", "PublicSuffix"]),
        "StoreSQL": (4, ["Identity", "WebAuthn"]),
        "CacheInMemory": (4, ["Identity", "Threads"]),
        "CacheRedis": (4, ["Identity", "Threads"]),
        "StoreContract": (4, ["Identity", "WebAuthn"]),
        "StoreSQLite": (5, ["StoreSQL", "Identity", "Threads"]),
        "StorePostgres": (5, ["StoreSQL", "Identity", "Threads"]),
        "HTTPAPI": (5, useCases.union(["HTTPServer", "Pages", "Identity", "WebAuthn", "JOSE"])),
        "Storage": (6, ["Identity", "StoreSQL", "StoreSQLite", "StorePostgres", "CacheInMemory", "CacheRedis"]),
    ]

    /// What every target may import: the language's own modules. Foundation only for dates, and not in these.
    static let language: Set<String> = ["Swift", "Glibc", "Synchronization"]
    static let withoutFoundation: Set<String> = ["CBOR", "COSE", "Cryptography", "HTTPServer", "HTTPWire", "Encodings"]
}
