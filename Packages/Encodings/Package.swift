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
    name: "Encodings",
    products: [.library(name: "Encodings", targets: ["Encodings"])],
    targets: [
        .target(name: "Encodings", dependencies: [], swiftSettings: settings),
        .testTarget(
            name: "EncodingsTests",
            dependencies: ["Encodings"],
            resources: [.copy("Vectors")],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
