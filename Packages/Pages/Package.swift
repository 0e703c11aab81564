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

/// What each page says, and around what.
let templates = [
    "layout", "login", "signup", "upgrade", "message", "logout", "consent", "form-post", "enroll-passkey", "reset-ask",
    "reset-password", "reset-done", "recover-ask", "recover-code", "recover-passkey", "review-passkeys", "not-me",
    "passkeys",
].map { "Templates/\($0).html" }
let texts = ["en", "sv", "ja"].map { "Texts/\($0).json" }
let assets = ["pages.css", "pages.js", "latchkey.js", "form-post.js", "icon.svg"].map { "Assets/\($0)" }

let package = Package(
    name: "Pages",
    products: [.library(name: "Pages", targets: ["Pages"])],
    dependencies: [.package(path: "../Encodings")],
    targets: [
        .target(
            name: "Pages",
            dependencies: ["Encodings"],
            resources: (templates + texts + assets).map { .embedInCode($0) },
            swiftSettings: settings
        ),
        .testTarget(name: "PagesTests", dependencies: ["Pages", "Encodings"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
