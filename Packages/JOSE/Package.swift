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
    name: "JOSE",
    products: [.library(name: "JOSE", targets: ["JOSE"])],
    dependencies: [
        .package(path: "../Encodings"),
        .package(path: "../Cryptography"),
    ],
    targets: [
        .target(name: "JOSE", dependencies: ["Encodings", "Cryptography"], swiftSettings: settings),
        .testTarget(
            name: "JOSETests",
            dependencies: ["JOSE", "Encodings", "Cryptography"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
