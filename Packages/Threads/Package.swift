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
    name: "Threads",
    products: [.library(name: "Threads", targets: ["Threads"])],
    targets: [
        .systemLibrary(name: "CThreads"),
        .target(name: "Threads", dependencies: ["CThreads"], swiftSettings: settings),
        .testTarget(name: "ThreadsTests", dependencies: ["Threads"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
