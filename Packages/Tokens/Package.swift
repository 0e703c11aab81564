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
    name: "Tokens",
    products: [.library(name: "Tokens", targets: ["Tokens"])],
    dependencies: [
        .package(path: "../Encodings"),
        .package(path: "../Identity"),
        .package(path: "../JOSE"),
        .package(path: "../Cryptography"),
        .package(path: "../Threads"),
    ],
    targets: [
        .target(
            name: "Tokens",
            dependencies: ["Encodings", "Identity", "JOSE", "Cryptography", "Threads"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TokensTests",
            dependencies: ["Tokens", "Encodings", "Identity", "JOSE", "Cryptography", "Threads"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
