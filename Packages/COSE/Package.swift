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
    name: "COSE",
    products: [.library(name: "COSE", targets: ["COSE"])],
    dependencies: [
        .package(path: "../CBOR"),
        .package(path: "../Cryptography"),
    ],
    targets: [
        .target(name: "COSE", dependencies: ["CBOR", "Cryptography"], swiftSettings: settings),
        .testTarget(name: "COSETests", dependencies: ["COSE", "CBOR", "Cryptography"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
