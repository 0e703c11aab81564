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
    name: "Tenancy",
    products: [.library(name: "Tenancy", targets: ["Tenancy"])],
    dependencies: [
        .package(path: "../Encodings"),
        .package(path: "../Identity"),
        .package(path: "../WebAuthn"),
        .package(path: "../Cryptography"),
        .package(path: "../PublicSuffix"),
    ],
    targets: [
        .target(
            name: "Tenancy",
            dependencies: ["Encodings", "Identity", "WebAuthn", "Cryptography", "PublicSuffix"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TenancyTests",
            dependencies: ["Tenancy", "Encodings", "Identity", "WebAuthn", "Cryptography", "PublicSuffix"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
