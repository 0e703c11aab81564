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

let package = Package(
    name: "HTTPAPI",
    products: [.library(name: "HTTPAPI", targets: ["HTTPAPI"])],
    dependencies: [
        .package(path: "../Encodings"),
        .package(path: "../HTTPServer"),
        .package(path: "../Pages"),
        .package(path: "../Identity"),
        .package(path: "../WebAuthn"),
        .package(path: "../Passkeys"),
        .package(path: "../Accounts"),
        .package(path: "../Tokens"),
        .package(path: "../Tenancy"),
        .package(path: "../StoreSQLite"),
        .package(path: "../CacheInMemory"),
        .package(path: "../SoftwareAuthenticator"),
        .package(path: "../Cryptography"),
        .package(path: "../Threads"),
    ],
    targets: [
        .target(
            name: "HTTPAPI",
            dependencies: [
                "Encodings", "HTTPServer", "Pages", "Identity", "WebAuthn", "Passkeys", "Accounts", "Tokens", "Tenancy",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HTTPAPITests",
            dependencies: [
                "HTTPAPI", "Encodings", "HTTPServer", "Identity", "WebAuthn", "Passkeys", "Accounts", "Tokens",
                "Tenancy", "StoreSQLite", "CacheInMemory", "SoftwareAuthenticator", "Cryptography", "Threads",
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
