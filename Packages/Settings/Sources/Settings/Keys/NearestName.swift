/// The candidate that `name` was most likely meant to be, or `nil` when none is near.
func nearestName(to name: String, among candidates: some Sequence<String>) -> String? {
    let wanted = Array(name.lowercased().utf8)
    var best: (name: String, distance: Int)?
    for candidate in candidates {
        let distance = editDistance(wanted, Array(candidate.lowercased().utf8))
        if distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    guard let best, best.distance <= max(1, min(wanted.count, best.name.utf8.count) / 3) else { return nil }
    return best.name
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `left` into `right`.
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    guard left.count <= 100 else { return .max }
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for (i, a) in left.enumerated() {
        var current = [i + 1]
        for (j, b) in right.enumerated() {
            var cost = min(last[j + 1] + 1, current[j] + 1, last[j] + (a == b ? 0 : 1))
            if i > 0, j > 0, a == right[j - 1], left[i - 1] == b { cost = min(cost, beforeLast[j - 1] + 1) }
            current.append(cost)
        }
        beforeLast = last
        last = current
    }
    return last[right.count]
}
