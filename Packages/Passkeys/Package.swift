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
    name: "Passkeys",
    products: [.library(name: "Passkeys", targets: ["Passkeys"])],
    dependencies: [
        .package(path: "../Encodings"),
        .package(path: "../CBOR"),
        .package(path: "../Identity"),
        .package(path: "../WebAuthn"),
        .package(path: "../Cryptography"),
        .package(path: "../SoftwareAuthenticator"),
    ],
    targets: [
        .target(
            name: "Passkeys",
            dependencies: ["Encodings", "Identity", "WebAuthn", "Cryptography"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PasskeysTests",
            dependencies: [
                "Passkeys", "Encodings", "CBOR", "Identity", "WebAuthn", "Cryptography", "SoftwareAuthenticator",
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
