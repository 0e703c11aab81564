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
    name: "DNS",
    products: [.library(name: "DNS", targets: ["DNS"])],
    targets: [
        .systemLibrary(name: "CAres", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
        .target(name: "DNS", dependencies: ["CAres"], swiftSettings: settings),
        .testTarget(name: "DNSTests", dependencies: ["DNS"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
