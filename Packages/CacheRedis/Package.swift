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
    name: "CacheRedis",
    products: [.library(name: "CacheRedis", targets: ["CacheRedis"])],
    dependencies: [
        .package(path: "../Identity"),
        .package(path: "../StoreContract"),
        .package(path: "../Threads"),
    ],
    targets: [
        // No pkgConfig: its flags make SwiftPM warn.
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
        .systemLibrary(name: "CRedisTLS", providers: [.apt(["libssl-dev"])]),
        .target(
            name: "CacheRedis",
            dependencies: ["CHiredis", "CRedisTLS", "Identity", "Threads"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "CacheRedisTests",
            dependencies: ["CacheRedis", "StoreContract", "Identity", "Threads"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
