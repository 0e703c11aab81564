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
    name: "CacheInMemory",
    products: [.library(name: "CacheInMemory", targets: ["CacheInMemory"])],
    dependencies: [
        .package(path: "../Identity"),
        .package(path: "../StoreContract"),
        .package(path: "../Threads"),
    ],
    targets: [
        .target(name: "CacheInMemory", dependencies: ["Identity", "Threads"], swiftSettings: settings),
        .testTarget(
            name: "CacheInMemoryTests",
            dependencies: ["CacheInMemory", "StoreContract", "Identity", "Threads"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
