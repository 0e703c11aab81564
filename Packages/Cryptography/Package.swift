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
    name: "Cryptography",
    products: [.library(name: "Cryptography", targets: ["Cryptography"])],
    targets: [
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(name: "Cryptography", dependencies: ["CCrypto"], swiftSettings: settings),
        .testTarget(
            name: "CryptographyTests",
            dependencies: ["Cryptography"],
            resources: [.copy("Vectors")],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
