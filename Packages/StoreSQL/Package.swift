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
    name: "StoreSQL",
    products: [.library(name: "StoreSQL", targets: ["StoreSQL"])],
    dependencies: [
        .package(path: "../Encodings"),
        .package(path: "../Identity"),
        .package(path: "../WebAuthn"),
    ],
    targets: [
        .target(name: "StoreSQL", dependencies: ["Encodings", "Identity", "WebAuthn"], swiftSettings: settings),
        .testTarget(
            name: "StoreSQLTests",
            dependencies: ["StoreSQL", "Encodings", "Identity", "WebAuthn"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
