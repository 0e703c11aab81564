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
    name: "Identity",
    products: [.library(name: "Identity", targets: ["Identity"])],
    dependencies: [
        .package(path: "../Encodings"),
        .package(path: "../WebAuthn"),
        .package(path: "../Unicode"),
    ],
    targets: [
        .target(name: "Identity", dependencies: ["Encodings", "WebAuthn", "Unicode"], swiftSettings: settings),
        .testTarget(
            name: "IdentityTests",
            dependencies: ["Identity", "Encodings", "WebAuthn", "Unicode"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
