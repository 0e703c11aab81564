/// The candidate that `name` was most likely meant to be, or `nil` when none is near.
///
/// One letter in three may be wrong, left out, added or swapped with its neighbour. Case does not count.
public func nearestName(to name: String, among candidates: some Sequence<String>) -> String? {
    let wanted = Array(name.lowercased().unicodeScalars)
    guard (1...200).contains(wanted.count) else { return nil }
    var best: (name: String, distance: Int, length: Int)?
    for candidate in candidates {
        let scalars = Array(candidate.lowercased().unicodeScalars)
        guard abs(scalars.count - wanted.count) < best?.distance ?? .max else { continue }
        let distance = editDistance(wanted, scalars)
        if distance < best?.distance ?? .max { best = (candidate, distance, scalars.count) }
    }
    guard let best, best.distance <= max(1, min(wanted.count, best.length) / 3) else { return nil }
    return best.name
}

private func editDistance(_ left: [UnicodeScalar], _ right: [UnicodeScalar]) -> Int {
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
