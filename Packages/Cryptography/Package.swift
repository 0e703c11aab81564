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
        .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
        .systemLibrary(name: "CCrypt", pkgConfig: "libcrypt", providers: [.apt(["libcrypt-dev"])]),
        .target(name: "Cryptography", dependencies: ["CCrypto", "CArgon2", "CCrypt"], swiftSettings: settings),
        .testTarget(
            name: "CryptographyTests",
            dependencies: ["Cryptography"],
            resources: [.copy("Vectors")],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
