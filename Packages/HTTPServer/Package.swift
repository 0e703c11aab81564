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
    name: "HTTPServer",
    products: [
        .library(name: "HTTPServer", targets: ["HTTPServer"]),
        .library(name: "HTTPWire", targets: ["HTTPWire"]),
    ],
    dependencies: [
        .package(path: "../Threads")
    ],
    targets: [
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CTLS", pkgConfig: "libssl", providers: [.apt(["libssl-dev"])]),
        .target(name: "HTTPWire", swiftSettings: settings),
        .target(
            name: "HTTPServer",
            dependencies: ["HTTPWire", "CLinux", "CTLS", "Threads"],
            swiftSettings: settings
        ),
        .testTarget(name: "HTTPWireTests", dependencies: ["HTTPWire"], swiftSettings: settings),
        .testTarget(
            name: "HTTPServerTests",
            dependencies: ["HTTPServer", "HTTPWire", "CLinux", "CTLS", "Threads"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
