import Foundation
import Identity
import Testing

@testable import Mail

@Suite("Templates of mails")
struct TemplateTests {
    private static let values = [
        "tenant": "Acme <b>&", "address": "ana@example.com", "link": "https://login.acme.example/u/x?ticket=a&b=\"'",
        "hours": "120", "code": "1234 5678", "minutes": "10", "days": "7", "time": "2026-01-31 10:20 UTC",
        "stop": "https://login.acme.example/u/not-me?ticket=a&b=\"'", "place": "192.0.2.7", "device": "Firefox/1",
        "provider": "Passwords",
    ]

    private static func file(_ name: String, _ text: String, tenant: String? = nil) -> MailTemplates.File {
        MailTemplates.File(tenant: tenant, name: name, path: "mail/\(name)", bytes: Array(text.utf8))
    }

    @Test("There is a text of every kind in every language, with a subject, HTML and all that it should say")
    func builtIn() throws {
        let templates = try MailTemplates()
        for kind in MailKind.allCases {
            for language in ["en", "sv", "ja"] {
                let mail = try #require(
                    templates.render(kind, tenant: "acme", languages: [language], values: Self.values)
                )
                #expect(mail.language == language)
                #expect(mail.subject.contains("Acme <b>&"))
                let html = try #require(mail.html)
                #expect(html.contains("lang=\"\(language)\""))
                #expect(!html.contains("{{") && !mail.text.contains("{{"))
                #expect(html.contains("Acme &lt;b&gt;&amp;") && !html.contains("<b>"))
                for name in kind.placeholders where name != "tenant" {
                    #expect(mail.text.contains(Self.values[name] ?? "-"))
                }
                if kind.placeholders.contains("stop") {
                    #expect(html.contains("href=\"https://login.acme.example/u/not-me?ticket=a&amp;b=&quot;&#39;\""))
                }
                guard kind.placeholders.contains("link") else { continue }
                #expect(html.contains("href=\"https://login.acme.example/u/x?ticket=a&amp;b=&quot;&#39;\""))
            }
        }
    }

    @Test(
        "The first wanted language that there is; English else",
        arguments: [
            (["sv-FI"], "sv"), (["de", "JA"], "ja"), (["de"], "en"), ([], "en"), (["zh-Hant-TW", "sv"], "sv"),
            ([""], "en"),
        ]
    )
    func languages(wanted: [String], got: String) throws {
        let mail = try MailTemplates().render(.test, tenant: "acme", languages: wanted, values: Self.values)
        #expect(mail?.language == got)
    }

    @Test("An operator's text comes before the built-in one, and a tenant's before both")
    func overriding() throws {
        let templates = try MailTemplates([
            Self.file("test.en.txt", "Subject: Ours\r\n\r\nHi {{ address }}\r\n"),
            Self.file("test.de.txt", "Subject: Deutsch\n\nHallo\n"),
            Self.file("test.en.txt", "Subject: Acme's\n\nHi\n", tenant: "acme"),
            Self.file("test.en.html", "<p>{{tenant}}</p>", tenant: "acme"),
        ])
        let own = templates.render(.test, tenant: "acme", languages: ["en"], values: Self.values)
        #expect(own?.subject == "Acme's")
        #expect(own?.html == "<p>Acme &lt;b&gt;&amp;</p>")
        let other = templates.render(.test, tenant: "other", languages: ["en"], values: Self.values)
        #expect(other?.text == "Hi ana@example.com\n")
        // A text without HTML is sent without: the built-in page says something else.
        #expect(other?.html == nil)
        #expect(templates.render(.test, tenant: "acme", languages: ["de"], values: [:])?.subject == "Deutsch")
    }

    @Test(
        "What is wrong with a file is said with its name and line",
        arguments: [
            (
                "test.en.txt", "Subject: x\n\na\n{{lnik}}", 4,
                "{{lnik}} is no placeholder of this mail. Use {{tenant}}, {{address}}."
            ),
            (
                "test.en.txt", "Subject: {{tenan}}\n\na", 1,
                "{{tenan}} is no placeholder of this mail. Use {{tenant}}, {{address}}."
            ),
            ("test.en.txt", "Subject: x\n\na\n\nb {{tenant\n}}", 5, "{{ has no }} on its line."),
            ("test.en.txt", "Hello", 1, "a text begins with a line \"Subject: …\" and an empty line."),
            (
                "test.en.txt", "Subject: x\nno empty line\n", 1,
                "a text begins with a line \"Subject: …\" and an empty line."
            ),
            ("tset.en.txt", "Subject: x\n\na", 1, "the name is none of a mail."),
            ("test.en.htm", "", 1, "the name is none of a mail."), ("test.txt", "", 1, "the name is none of a mail."),
            ("test.e_n.txt", "", 1, "the name is none of a mail."),
            ("test.fr.html", "<p>", 1, "there is no text beside it"),
        ] as [(String, String, Int, String)]
    )
    func faults(name: String, text: String, line: Int, what: String) throws {
        let error = #expect(throws: TemplateError.self) { try MailTemplates([Self.file(name, text)]) }
        let description = try #require(error).description
        #expect(description.hasPrefix("mail/\(name):\(line): \(what)"))
        #expect(!description.contains("\n"))
    }

    @Test("A fault in HTML has the line of the HTML")
    func faultInHTML() {
        let files = [
            Self.file("test.en.txt", "Subject: x\n\na"), Self.file("test.en.html", "<p>\n<p>\n{{link}}"),
        ]
        #expect(
            throws: TemplateError(
                file: "mail/test.en.html",
                line: 3,
                fault: .unknownPlaceholder("link", known: ["tenant", "address"])
            )
        ) { try MailTemplates(files) }
    }

    @Test("A file that is too large or no text is refused")
    func notText() {
        for bytes in [[0xFF], [UInt8](repeating: 0x20, count: MailTemplates.fileLimit + 1)] as [[UInt8]] {
            let file = MailTemplates.File(tenant: nil, name: "test.en.txt", path: "x", bytes: bytes)
            #expect(throws: TemplateError.self) { try MailTemplates([file]) }
        }
    }

    @Test("A value with line feeds stays on its line, and braces in a value are no placeholder")
    func values() throws {
        let mail = try MailTemplates().render(
            .test,
            tenant: "x",
            languages: ["en"],
            values: ["tenant": "A\r\nBcc: x@y", "address": "{{tenant}}"]
        )
        #expect(mail?.subject == "Mail from A  Bcc: x@y works")
        #expect(mail?.text.contains("to {{tenant}} works") == true)
    }

    @Test("A folder has texts for all, and folders of tenants; what is wrong has the path of its file")
    func folder() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "templates-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        func write(_ name: String, _ text: String) throws {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: file)
        }
        try write("test.en.txt", "Subject: All\n\na\n")
        try write("acme/test.en.txt", "Subject: Acme\n\na\n")
        try write("README", "not a template")
        try write(".test.en.txt.swp", "not a template")
        let templates = try TemplateFolder.read(folder.path)
        #expect(templates.render(.test, tenant: "acme", languages: [], values: [:])?.subject == "Acme")
        #expect(templates.render(.test, tenant: "other", languages: [], values: [:])?.subject == "All")
        try write("acme/test.sv.txt", "Subject: {{nobody}}\n\na\n")
        let error = #expect(throws: TemplateFolder.Fault.self) { try TemplateFolder.read(folder.path) }
        #expect(try #require(error).description.hasPrefix("\(folder.path)/acme/test.sv.txt:1: {{nobody}} is no"))
        #expect(throws: TemplateFolder.Fault.unreadable(path: "/nowhere", code: 2)) {
            try TemplateFolder.read("/nowhere")
        }
    }
}
