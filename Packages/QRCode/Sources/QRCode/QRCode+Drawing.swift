extension QRCode {
    /// Lines of text that show the code, two modules of height in a character: light is drawn, dark is left out, as a
    /// terminal with light letters on a dark ground needs it. Phones read the inverse of it too.
    public var terminalLines: [String] {
        let side = -Self.quietZone..<(size + Self.quietZone)
        return stride(from: side.lowerBound, to: side.upperBound, by: 2).map { row in
            let line = side.map { column in
                Self.halves(
                    isUpperLight: !isDark(row: row, column: column),
                    isLowerLight: side.contains(row + 1) && !isDark(row: row + 1, column: column)
                )
            }
            return String(line)
        }
    }

    private static func halves(isUpperLight: Bool, isLowerLight: Bool) -> Character {
        switch (isUpperLight, isLowerLight) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }

    /// An SVG image of the code, a unit for each module, dark on light whatever is around it. It holds no text of
    /// anybody's, so that it can stand in a page as it is.
    public var svg: String {
        let side = size + 2 * Self.quietZone
        let path = (0..<size).flatMap { row in runs(in: row) }
            .map { run in "M\(run.start + Self.quietZone) \(run.row + Self.quietZone)h\(run.length)v1h-\(run.length)z" }
            .joined()
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
            <path fill="#fff" d="M0 0h\(side)v\(side)h-\(side)z"/><path fill="#000" d="\(path)"/></svg>
            """
    }

    private struct Run {
        let row: Int
        let start: Int
        var length: Int
    }

    /// The dark modules of a row, those side by side as one.
    private func runs(in row: Int) -> [Run] {
        (0..<size).reduce(into: []) { runs, column in
            guard isDark(row: row, column: column) else { return }
            if let last = runs.last, last.start + last.length == column {
                runs[runs.count - 1].length += 1
            } else {
                runs.append(Run(row: row, start: column, length: 1))
            }
        }
    }
}
