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
    name: "Accounts",
    products: [.library(name: "Accounts", targets: ["Accounts"])],
    dependencies: [
        .package(path: "../Encodings"),
        .package(path: "../Identity"),
        .package(path: "../Cryptography"),
        .package(path: "../Threads"),
    ],
    targets: [
        .target(
            name: "Accounts",
            dependencies: ["Encodings", "Identity", "Cryptography", "Threads"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AccountsTests",
            dependencies: ["Accounts", "Encodings", "Identity", "Cryptography", "Threads"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
