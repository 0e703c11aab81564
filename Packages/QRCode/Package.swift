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
    name: "QRCode",
    products: [.library(name: "QRCode", targets: ["QRCode"])],
    targets: [
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .target(name: "QRCode", dependencies: ["CQREncode"], swiftSettings: settings),
        .testTarget(name: "QRCodeTests", dependencies: ["QRCode"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
