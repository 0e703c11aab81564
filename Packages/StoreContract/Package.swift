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
    name: "StoreContract",
    products: [.library(name: "StoreContract", targets: ["StoreContract"])],
    dependencies: [
        .package(path: "../Encodings"),
        .package(path: "../Identity"),
        .package(path: "../WebAuthn"),
    ],
    targets: [
        .target(name: "StoreContract", dependencies: ["Encodings", "Identity", "WebAuthn"], swiftSettings: settings),
        .testTarget(
            name: "StoreContractTests",
            dependencies: ["StoreContract", "Encodings", "Identity", "WebAuthn"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
