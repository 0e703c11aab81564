/// The texts that come with this version.
enum BuiltInTexts {
    static var files: [MailTemplates.File] {
        [
            file("test.en.txt", PackageResources.test_en_txt), file("test.en.html", PackageResources.test_en_html),
            file("test.sv.txt", PackageResources.test_sv_txt), file("test.sv.html", PackageResources.test_sv_html),
            file("test.ja.txt", PackageResources.test_ja_txt), file("test.ja.html", PackageResources.test_ja_html),
            file("reset-password.en.txt", PackageResources.reset_password_en_txt),
            file("reset-password.en.html", PackageResources.reset_password_en_html),
            file("reset-password.sv.txt", PackageResources.reset_password_sv_txt),
            file("reset-password.sv.html", PackageResources.reset_password_sv_html),
            file("reset-password.ja.txt", PackageResources.reset_password_ja_txt),
            file("reset-password.ja.html", PackageResources.reset_password_ja_html),
        ]
    }

    private static func file(_ name: String, _ bytes: [UInt8]) -> MailTemplates.File {
        MailTemplates.File(tenant: nil, name: name, path: name, bytes: bytes)
    }
}
