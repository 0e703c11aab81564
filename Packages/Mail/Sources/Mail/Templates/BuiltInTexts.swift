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
            file("recover.en.txt", PackageResources.recover_en_txt),
            file("recover.en.html", PackageResources.recover_en_html),
            file("recover.sv.txt", PackageResources.recover_sv_txt),
            file("recover.sv.html", PackageResources.recover_sv_html),
            file("recover.ja.txt", PackageResources.recover_ja_txt),
            file("recover.ja.html", PackageResources.recover_ja_html),
            file("recovery-started.en.txt", PackageResources.recovery_started_en_txt),
            file("recovery-started.en.html", PackageResources.recovery_started_en_html),
            file("recovery-started.sv.txt", PackageResources.recovery_started_sv_txt),
            file("recovery-started.sv.html", PackageResources.recovery_started_sv_html),
            file("recovery-started.ja.txt", PackageResources.recovery_started_ja_txt),
            file("recovery-started.ja.html", PackageResources.recovery_started_ja_html),
            file("recovery-ended.en.txt", PackageResources.recovery_ended_en_txt),
            file("recovery-ended.en.html", PackageResources.recovery_ended_en_html),
            file("recovery-ended.sv.txt", PackageResources.recovery_ended_sv_txt),
            file("recovery-ended.sv.html", PackageResources.recovery_ended_sv_html),
            file("recovery-ended.ja.txt", PackageResources.recovery_ended_ja_txt),
            file("recovery-ended.ja.html", PackageResources.recovery_ended_ja_html),
            file("passkey-upgraded.en.txt", PackageResources.passkey_upgraded_en_txt),
            file("passkey-upgraded.en.html", PackageResources.passkey_upgraded_en_html),
            file("passkey-upgraded.sv.txt", PackageResources.passkey_upgraded_sv_txt),
            file("passkey-upgraded.sv.html", PackageResources.passkey_upgraded_sv_html),
            file("passkey-upgraded.ja.txt", PackageResources.passkey_upgraded_ja_txt),
            file("passkey-upgraded.ja.html", PackageResources.passkey_upgraded_ja_html),
        ]
    }

    private static func file(_ name: String, _ bytes: [UInt8]) -> MailTemplates.File {
        MailTemplates.File(tenant: nil, name: name, path: name, bytes: bytes)
    }
}
