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
    name: "CBOR",
    products: [.library(name: "CBOR", targets: ["CBOR"])],
    targets: [
        .target(name: "CBOR", dependencies: [], swiftSettings: settings),
        .testTarget(name: "CBORTests", dependencies: ["CBOR"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
