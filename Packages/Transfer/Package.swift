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
    name: "Transfer",
    products: [.library(name: "Transfer", targets: ["Transfer"])],
    targets: [
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .target(name: "Transfer", dependencies: ["CCurl"], swiftSettings: settings),
        .testTarget(
            name: "TransferTests",
            dependencies: ["Transfer"],
            exclude: ["Peers"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
