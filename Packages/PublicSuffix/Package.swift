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
    name: "PublicSuffix",
    products: [.library(name: "PublicSuffix", targets: ["PublicSuffix"])],
    targets: [
        .systemLibrary(name: "CPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),
        .target(name: "PublicSuffix", dependencies: ["CPSL"], swiftSettings: settings),
        .testTarget(name: "PublicSuffixTests", dependencies: ["PublicSuffix"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
