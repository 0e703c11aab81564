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
    name: "Settings",
    products: [.library(name: "Settings", targets: ["Settings"])],
    dependencies: [
        .package(path: "../YAML")
    ],
    targets: [
        .target(name: "Settings", dependencies: ["YAML"], swiftSettings: settings),
        .testTarget(name: "SettingsTests", dependencies: ["Settings", "YAML"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
