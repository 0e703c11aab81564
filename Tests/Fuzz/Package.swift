// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that a usual build neither needs nor instruments it. `Tests/Fuzz/run` builds and runs it.

/// The same in every manifest of this project.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let names = ["CBOR", "COSE", "Cryptography", "Encodings", "SoftwareAuthenticator", "WebAuthn"]

let package = Package(
    name: "Fuzz",
    dependencies: names.map { .package(path: "../../Packages/\($0)") },
    targets: [
        // libFuzzer brings its own `main`.
        .executableTarget(
            name: "Fuzz",
            dependencies: names.map { .product(name: $0, package: $0) },
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]
        ),
        .executableTarget(
            name: "FuzzSeeds",
            dependencies: names.map { .product(name: $0, package: $0) },
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
