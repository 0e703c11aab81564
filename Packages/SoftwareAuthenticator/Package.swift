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
    name: "SoftwareAuthenticator",
    products: [.library(name: "SoftwareAuthenticator", targets: ["SoftwareAuthenticator"])],
    dependencies: [
        .package(path: "../COSE"),
        .package(path: "../CBOR"),
        .package(path: "../Encodings"),
        .package(path: "../Cryptography"),
        .package(path: "../WebAuthn"),
    ],
    targets: [
        .target(
            name: "SoftwareAuthenticator",
            dependencies: ["COSE", "CBOR", "Encodings", "Cryptography", "WebAuthn"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SoftwareAuthenticatorTests",
            dependencies: ["SoftwareAuthenticator", "COSE", "CBOR", "Encodings", "Cryptography", "WebAuthn"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
