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
    name: "Storage",
    products: [.library(name: "Storage", targets: ["Storage"])],
    dependencies: [
        .package(path: "../Identity"),
        .package(path: "../StoreSQL"),
        .package(path: "../StoreSQLite"),
        .package(path: "../StorePostgres"),
        .package(path: "../CacheInMemory"),
        .package(path: "../CacheRedis"),
    ],
    targets: [
        .target(
            name: "Storage",
            dependencies: ["Identity", "StoreSQL", "StoreSQLite", "StorePostgres", "CacheInMemory", "CacheRedis"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StorageTests",
            dependencies: ["Storage", "Identity", "StoreSQLite", "StorePostgres", "CacheInMemory"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
