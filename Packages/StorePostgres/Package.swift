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
    name: "StorePostgres",
    products: [.library(name: "StorePostgres", targets: ["StorePostgres"])],
    dependencies: [
        .package(path: "../StoreSQL"),
        .package(path: "../Identity"),
        .package(path: "../StoreContract"),
        .package(path: "../Threads"),
    ],
    targets: [
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "StorePostgres",
            dependencies: ["CPostgres", "StoreSQL", "Identity", "Threads"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StorePostgresTests",
            dependencies: ["StorePostgres", "StoreContract", "StoreSQL", "Identity", "Threads"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
