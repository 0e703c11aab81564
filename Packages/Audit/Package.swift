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
    name: "Audit",
    products: [.library(name: "Audit", targets: ["Audit"])],
    dependencies: [
        .package(path: "../Encodings"),
        .package(path: "../Identity"),
        .package(path: "../Cryptography"),
    ],
    targets: [
        .target(
            name: "Audit",
            dependencies: ["Encodings", "Identity", "Cryptography"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AuditTests",
            dependencies: ["Audit", "Encodings", "Identity", "Cryptography"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
