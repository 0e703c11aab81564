internal import YAML

/// The settings of one YAML file, by name.
struct FileLayer {
    private(set) var values: [String: RawValue] = [:]
    private(set) var problems: [SettingsProblem] = []
    private let path: String

    init(_ bytes: [UInt8], path: String) {
        self.path = path
        do throws(YAMLError) {
            let root = try YAML.parse(bytes, file: path)
            if let members = root.members {
                for member in members { take(member, prefix: "") }
            } else if !root.isNull {
                problems.append(.notAMap(kind: root.kind, source: source(root.position)))
            }
        } catch {
            problems.append(.yaml(error))
        }
    }

    private mutating func take(_ member: YAMLMember, prefix: String) {
        let name = prefix + member.key
        let isSection = SettingKey.sections.contains(name)
        if isSection, let members = member.value.members {
            for inner in members { take(inner, prefix: name + ".") }
            return
        }
        // A map whose members are all commented out.
        if isSection, member.value.isNull { return }
        guard let (key, isTwin) = SettingKey.names[name] else {
            problems.append(isSection ? notASection(name, member) : unknown(name, member, prefix))
            return
        }
        let value = raw(name, member.value, isList: key.isList && !isTwin)
        if let first = values.updateValue(value, forKey: name) {
            problems.append(
                .setTwice(
                    first: name,
                    second: name,
                    firstSource: first.source,
                    secondSource: source(member.keyPosition)
                )
            )
        }
    }

    private func raw(_ name: String, _ node: YAMLNode, isList: Bool) -> RawValue {
        let source = source(node.position)
        if isList, let elements = node.elements {
            return RawValue(name: name, items: elements.map(item), source: source, isList: true)
        }
        return RawValue(name: name, items: [item(node)], source: source, isList: false)
    }

    private func item(_ node: YAMLNode) -> RawItem {
        let kind: RawItem.Kind =
            switch node.scalar?.value {
            case .string: .text
            case .bool: .bool
            case .integer, .number: .number
            case .null, nil: .other(node.kind)
            }
        return RawItem(text: node.scalar?.text ?? "", source: source(node.position), kind: kind)
    }

    private func unknown(_ name: String, _ member: YAMLMember, _ prefix: String) -> SettingsProblem {
        // A key of a map is most likely another key of that map, and any key may have been put in or out of one.
        let candidates = SettingKey.sortedNames + SettingKey.sections.sorted()
        let nearest =
            nearestName(to: name, among: candidates)
            ?? candidates.first { $0.hasSuffix("." + member.key) || "." + $0 == name.drop { $0 != "." } }
        return .unknownKey(name, nearest: nearest, source: source(member.keyPosition))
    }

    private func notASection(_ name: String, _ member: YAMLMember) -> SettingsProblem {
        let keys = SettingKey.allCases.filter { $0.section == name }.map { $0.name.dropFirst(name.count + 1) }
        let some = keys.prefix(3).joined(separator: ", ") + (keys.count > 3 ? " …" : "")
        return .wrongValue(
            name: name,
            shown: item(member.value).shown,
            remedy: "Write a map of \(some).",
            source: source(member.value.position)
        )
    }

    private func source(_ position: YAMLPosition) -> SettingSource {
        .file(path, line: position.line, column: position.column)
    }
}
