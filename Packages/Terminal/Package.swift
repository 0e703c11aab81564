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
    name: "Terminal",
    products: [.library(name: "Terminal", targets: ["Terminal"])],
    dependencies: [
        .package(path: "../Encodings")
    ],
    targets: [
        .systemLibrary(name: "CSmartcols", pkgConfig: "smartcols", providers: [.apt(["libsmartcols-dev"])]),
        .target(name: "Terminal", dependencies: ["CSmartcols", "Encodings"], swiftSettings: settings),
        .testTarget(
            name: "TerminalTests",
            dependencies: ["Terminal", "Encodings"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
