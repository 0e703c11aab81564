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
    name: "StoreSQLite",
    products: [.library(name: "StoreSQLite", targets: ["StoreSQLite"])],
    dependencies: [
        .package(path: "../StoreSQL"),
        .package(path: "../Identity"),
        .package(path: "../StoreContract"),
        .package(path: "../Threads"),
    ],
    targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "StoreSQLite",
            dependencies: ["CSQLite", "StoreSQL", "Identity", "Threads"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StoreSQLiteTests",
            dependencies: ["StoreSQLite", "StoreContract", "StoreSQL", "Identity", "Threads"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
