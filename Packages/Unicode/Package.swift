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
    name: "Unicode",
    products: [.library(name: "Unicode", targets: ["Unicode"])],
    targets: [
        .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
        .systemLibrary(name: "CIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"])]),
        .target(name: "Unicode", dependencies: ["CUTF8Proc", "CIDN2"], swiftSettings: settings),
        .testTarget(name: "UnicodeTests", dependencies: ["Unicode"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
