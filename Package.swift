// swift-tools-version: 6.2
import PackageDescription

/// The same in every manifest of this project; `ArchitectureTests` keeps it so.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// Every library, from the level that imports nothing upwards (docs/architecture.md has the table).
let packages = [
    "Encodings", "CBOR", "Cryptography", "YAML", "Unicode", "PublicSuffix", "QRCode", "Transfer", "DNS", "Threads",
    "HTTPServer", "Settings", "Terminal", "Pages", "COSE", "JOSE",
    "WebAuthn",
    "SoftwareAuthenticator", "Identity",
    "Passkeys", "Accounts", "Audit", "Mail", "Tokens", "Tenancy", "StoreSQL", "CacheInMemory", "CacheRedis",
    "StoreContract", "StoreSQLite", "StorePostgres", "HTTPAPI",
    "Storage",
]

/// The libraries `names`, as dependencies of a target of this manifest.
func libraries(_ names: [String]) -> [Target.Dependency] {
    names.map { .product(name: $0, package: $0 == "HTTPWire" ? "HTTPServer" : $0) }
}

/// The tests of package `name`, so that `swift test` here runs them all; `others` are what they import beside it.
func tests(
    of name: String,
    in package: String? = nil,
    importing others: [String] = [],
    exclude: [String] = [],
    resources: [Resource] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: libraries([name] + others),
        path: "Packages/\(package ?? name)/Tests/\(name)Tests",
        exclude: exclude,
        resources: resources,
        swiftSettings: settings
    )
}

/// A benchmark, run by `make bench`; no product.
func benchmark(_ name: String, importing others: [String], and targets: [Target.Dependency] = []) -> Target {
    .executableTarget(
        name: name,
        dependencies: libraries(others) + targets,
        path: "Tests/Benchmarks/\(name)",
        swiftSettings: settings
    )
}

let package = Package(
    name: "Latchkey",
    products: [
        .executable(name: "latchkey-server", targets: ["APIServer"]),
        .executable(name: "latchkey-admin", targets: ["AdminCLI"]),
        .executable(name: "latchkey-tenant", targets: ["TenantCLI"]),
        // For measurements; it is not shipped.
        .executable(name: "latchkey-load", targets: ["Load"]),
    ],
    dependencies: packages.map { .package(path: "Packages/\($0)") },
    targets: [
        .executableTarget(
            name: "APIServer",
            dependencies: libraries([
                "Encodings", "Threads", "Cryptography", "HTTPServer", "Settings", "Terminal", "WebAuthn", "Identity",
                "Passkeys", "Accounts", "Audit", "Mail", "Tokens", "Tenancy", "HTTPAPI", "Storage", "PublicSuffix",
                "DNS", "Transfer",
            ]),
            path: "Apps/APIServer",
            resources: ["index.html", "demo.css", "demo.js", "icon.svg"].map {
                .embedInCode("Demo/\($0)")
            },
            swiftSettings: settings
        ),
        .executableTarget(
            name: "AdminCLI",
            dependencies: libraries([
                "Encodings", "Threads", "Transfer", "Cryptography", "COSE", "Settings", "Terminal", "WebAuthn",
                "SoftwareAuthenticator", "Identity", "Accounts", "Audit", "Mail", "Tokens", "Tenancy", "Storage",
                "PublicSuffix", "QRCode",
            ]),
            path: "Apps/AdminCLI",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "TenantCLI",
            dependencies: libraries([
                "Encodings", "YAML", "Transfer", "Terminal", "PublicSuffix", "WebAuthn", "Identity", "Passkeys",
                "Tenancy",
            ]),
            path: "Apps/TenantCLI",
            swiftSettings: settings
        ),

        tests(of: "Encodings", resources: [.copy("Vectors")]),
        tests(of: "CBOR"),
        tests(of: "Cryptography", resources: [.copy("Vectors")]),
        tests(of: "YAML"),
        tests(of: "Unicode"),
        tests(of: "PublicSuffix"),
        tests(of: "QRCode"),
        tests(of: "Transfer", exclude: ["Peers"]),
        tests(of: "DNS"),
        tests(of: "Threads"),
        tests(of: "HTTPWire", in: "HTTPServer"),
        tests(of: "HTTPServer", importing: ["HTTPWire", "Threads"]),
        tests(of: "Settings", importing: ["YAML"]),
        tests(of: "Terminal", importing: ["Encodings"]),
        tests(of: "Pages", importing: ["Encodings"]),
        tests(of: "COSE", importing: ["CBOR", "Cryptography"]),
        tests(of: "JOSE", importing: ["Encodings", "Cryptography"]),
        tests(of: "WebAuthn", importing: ["Encodings", "CBOR", "COSE", "JOSE", "Cryptography"]),
        tests(
            of: "SoftwareAuthenticator",
            importing: ["COSE", "CBOR", "Encodings", "Cryptography", "WebAuthn"]
        ),
        tests(of: "Identity", importing: ["Encodings", "WebAuthn", "Unicode"]),
        tests(
            of: "Passkeys",
            importing: ["Encodings", "CBOR", "Identity", "WebAuthn", "Cryptography", "SoftwareAuthenticator"]
        ),
        tests(of: "Accounts", importing: ["Encodings", "Identity", "Cryptography", "Threads"]),
        tests(of: "Audit", importing: ["Encodings", "Identity", "Cryptography"]),
        tests(of: "Mail", importing: ["Encodings", "Identity", "Cryptography"]),
        tests(of: "Tokens", importing: ["Encodings", "Identity", "JOSE", "Cryptography", "Threads"]),
        tests(of: "Tenancy", importing: ["Encodings", "Identity", "WebAuthn", "Cryptography", "PublicSuffix"]),
        tests(of: "StoreSQL", importing: ["Encodings", "Identity", "WebAuthn"]),
        tests(of: "CacheInMemory", importing: ["StoreContract", "Identity", "Threads"]),
        tests(of: "CacheRedis", importing: ["StoreContract", "Identity", "Threads"]),
        tests(of: "StoreContract", importing: ["Encodings", "Identity", "WebAuthn"]),
        tests(of: "StoreSQLite", importing: ["StoreContract", "StoreSQL", "Identity", "Threads"]),
        tests(of: "StorePostgres", importing: ["StoreContract", "StoreSQL", "Identity", "Threads"]),
        tests(
            of: "HTTPAPI",
            importing: [
                "Encodings", "HTTPServer", "Identity", "WebAuthn", "Passkeys", "Accounts", "Tokens", "Tenancy",
                "StoreSQLite", "CacheInMemory", "SoftwareAuthenticator", "Cryptography", "Threads",
            ]
        ),
        tests(of: "Storage", importing: ["Identity", "StoreSQLite", "StorePostgres", "CacheInMemory"]),

        .testTarget(name: "ArchitectureTests", path: "Tests/ArchitectureTests", swiftSettings: settings),
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["Programs"]
                + libraries([
                    "CBOR", "COSE", "Cryptography", "Encodings", "JOSE", "SoftwareAuthenticator", "WebAuthn",
                    // For the table of routes, and to see what a store keeps sealed.
                    "Accounts", "CacheInMemory", "HTTPAPI", "Identity", "Passkeys", "Storage", "Tenancy", "Threads",
                    "Tokens",
                ]),
            path: "Tests/EndToEndTests",
            exclude: ["Configurations", "Peers"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ConformanceTests",
            dependencies: ["Programs"],
            path: "Tests/ConformanceTests",
            exclude: ["OpenAPI", "README"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AdminCLITests",
            dependencies: ["AdminCLI"]
                + libraries([
                    "COSE", "Cryptography", "Encodings", "Identity", "SoftwareAuthenticator", "Storage", "Tenancy",
                    "Terminal", "Transfer", "WebAuthn",
                ]),
            path: "Tests/AdminCLITests",
            swiftSettings: settings
        ),
        .testTarget(
            name: "TenantCLITests",
            dependencies: ["TenantCLI"]
                + libraries(["Encodings", "Identity", "Tenancy", "Terminal", "Transfer", "YAML"]),
            path: "Tests/TenantCLITests",
            swiftSettings: settings
        ),

        benchmark(
            "WebAuthnBenchmark",
            importing: ["COSE", "Cryptography", "Encodings", "SoftwareAuthenticator", "WebAuthn"]
        ),
        benchmark("HTTPEngineBenchmark", importing: ["HTTPServer"], and: ["CRawLoop"]),
        .executableTarget(
            name: "Load",
            dependencies: libraries(["Encodings", "Cryptography", "COSE", "SoftwareAuthenticator"]),
            path: "Tests/Load",
            swiftSettings: settings
        ),
        .target(name: "Programs", dependencies: ["CSpawn"], path: "Tests/Programs", swiftSettings: settings),
        .target(name: "CSpawn", path: "Tests/CSpawn"),
        .target(name: "CRawLoop", path: "Tests/Benchmarks/CRawLoop"),
    ],
    swiftLanguageModes: [.v6]
)
