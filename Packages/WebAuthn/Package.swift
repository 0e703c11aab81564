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
    name: "WebAuthn",
    products: [.library(name: "WebAuthn", targets: ["WebAuthn"])],
    dependencies: [
        .package(path: "../Encodings"),
        .package(path: "../CBOR"),
        .package(path: "../COSE"),
        .package(path: "../JOSE"),
        .package(path: "../Cryptography"),
    ],
    targets: [
        .target(
            name: "WebAuthn",
            dependencies: ["Encodings", "CBOR", "COSE", "JOSE", "Cryptography"],
            resources: [.embedInCode("Metadata/providers.json")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WebAuthnTests",
            dependencies: ["WebAuthn", "Encodings", "CBOR", "COSE", "JOSE", "Cryptography"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
