import Encodings
import Testing

@testable import Pages

@Suite("Hosted pages")
struct PageTests {
    @Test("Every template can be read, and every page has one")
    func templates() throws {
        for (name, source) in BuiltInTemplates.sources {
            #expect(throws: Never.self, "\(name)") { try PageTemplate(String(decoding: source, as: UTF8.self)) }
        }
        for name in Page.Name.allCases { #expect(BuiltInTemplates.all[name.rawValue] != nil, "\(name)") }
    }

    @Test("All languages have the same texts, and those that templates name")
    func texts() throws {
        let english = try #require(PageTexts.all[.english])
        #expect(!english.keys.isEmpty)
        for language in PageLanguage.allCases {
            #expect(PageTexts.all[language]?.keys == english.keys, "\(language)")
        }
        for (name, template) in BuiltInTemplates.all {
            #expect(template.names.texts.subtracting(english.keys).isEmpty, "\(name)")
        }
        for name in Page.Name.allCases { #expect(english.keys.contains("\(name.rawValue).title"), "\(name)") }
    }

    @Test("What somebody typed is text on every page, in attributes too", arguments: Page.Name.allCases)
    func escaping(name: Page.Name) {
        let hostile = PageValue.text("\"><script>alert('x')</script>&")
        var values: [String: PageValue] = [:]
        for place in BuiltInTemplates.all[name.rawValue]?.names.values ?? [] { values[place] = hostile }
        for place in ["fields", "scopes"] where values[place] != nil {
            values[place] = .list([
                ["name": hostile, "label": hostile, "value": hostile, "type": hostile, "scope": hostile]
            ])
        }
        values["state"] = hostile
        let page = Page(name, values).html(in: .english, brand: PageBrand(name: "\"><script>", logo: "\"><script>"))
        let html = String(decoding: page, as: UTF8.self)
        #expect(!html.contains("<script>"))
        #expect(html.contains("&quot;&gt;&lt;script&gt;"))
    }

    @Test(
        "A page names its language, its site and its icon, and loads nothing from elsewhere",
        arguments: PageLanguage.allCases
    )
    func document(language: PageLanguage) {
        for name in Page.Name.allCases {
            let page = Page(name, ["script": .text("pages.js")]).html(in: language, brand: PageBrand(name: "Acme"))
            let html = String(decoding: page, as: UTF8.self)
            #expect(html.hasPrefix("<!doctype html>\n<html lang=\"\(language.rawValue)\">"))
            #expect(html.contains("<meta property=\"og:site_name\" content=\"Acme\">"))
            #expect(html.contains("rel=\"icon\""))
            #expect(!html.contains("http://") && !html.contains("https://") && !html.contains("{{"))
            #expect(!html.contains("style=") && !html.contains(" onclick"))
        }
        for asset in PageAsset.all + [.module] where asset.name != "icon.svg" {
            #expect(!String(decoding: asset.body, as: UTF8.self).contains("http"), "\(asset.name)")
        }
    }

    @Test("The language is that of the request, else the one that the browser likes best, else English")
    func language() {
        #expect(PageLanguage(locales: "fr sv-FI en", acceptLanguage: "ja") == .swedish)
        #expect(PageLanguage(locales: nil, acceptLanguage: "fr, en;q=0.5, ja;q=0.8") == .japanese)
        #expect(PageLanguage(locales: "fr", acceptLanguage: "sv;q=0, de") == .english)
        #expect(PageLanguage(locales: nil, acceptLanguage: nil) == .english)
    }

    @Test("A template's parts come once, for each of a list, or not at all")
    func parts() throws {
        let template = try PageTemplate("a{{#list}}[{{x}}{{y}}]{{/list}}{{^none}}n{{/none}}{{#none}}m{{/none}}{{y}}")
        let values: [String: PageValue] = ["list": .list([["x": .text("1")], ["x": .text("<")]]), "y": .text("y")]
        #expect(template.html(values, PageTexts([])).text == "a[1y][&lt;y]ny")
        #expect(throws: PageTemplate.Fault.unfinished) { try PageTemplate("{{a") }
        #expect(throws: PageTemplate.Fault.unbalanced("b")) { try PageTemplate("{{#a}}{{/b}}") }
        #expect(throws: PageTemplate.Fault.unbalanced("a")) { try PageTemplate("{{#a}}") }
    }
}
