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

/// The built-in templates.
let texts = [
    "test", "reset-password", "recover", "recovery-started", "recovery-ended", "passkey-upgraded",
].flatMap { kind in
    ["en", "sv", "ja"].flatMap { language in ["\(kind).\(language).txt", "\(kind).\(language).html"] }
}

let package = Package(
    name: "Mail",
    products: [.library(name: "Mail", targets: ["Mail"])],
    dependencies: [
        .package(path: "../Encodings"),
        .package(path: "../Identity"),
        .package(path: "../Cryptography"),
        .package(path: "../Unicode"),
        .package(path: "../Transfer"),
        .package(path: "../Threads"),
    ],
    targets: [
        .target(
            name: "Mail",
            dependencies: ["Encodings", "Identity", "Cryptography", "Unicode", "Transfer", "Threads"],
            resources: texts.map { .embedInCode("Texts/\($0)") },
            swiftSettings: settings
        ),
        .testTarget(
            name: "MailTests",
            dependencies: ["Mail", "Encodings", "Identity", "Cryptography"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
