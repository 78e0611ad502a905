/// Finds the known names nearest to a mistyped one.
package enum Nearest {
    /// The names at the smallest distance, at most five; empty if none is similar.
    package static func names(to typed: String, among names: [String]) -> [String] {
        let typed = typed.lowercased()
        guard !typed.isEmpty, typed.utf8.count <= 200 else { return [] }
        // Allow less distance between short words: many short words are similar.
        let limit = min(max(2, typed.utf8.count / 4), typed.utf8.count / 2)
        let ranked = names.compactMap { name -> (name: String, distance: Int)? in
            let known = name.lowercased()
            if known.hasSuffix(".\(typed)") || known.hasPrefix(typed) { return (name, 0) }
            // Also match the last component of a check's name.
            let candidates = [known] + (known.split(separator: ".").last.map { [String($0)] } ?? [])
            let distance = candidates.map { editDistance(typed, $0) }.min() ?? .max
            return distance <= limit ? (name, distance) : nil
        }
        let smallest = ranked.map(\.distance).min()
        return ranked.filter { $0.distance == smallest }.prefix(5).map(\.name)
    }

    /// The end of an error message: `; did you mean A or B?`, or empty if no name is similar.
    package static func advice(for typed: String, among names: [String]) -> String {
        let nearest = Nearest.names(to: typed, among: names)
        return nearest.isEmpty ? "" : "; did you mean \(nearest.joined(separator: " or "))?"
    }

    /// The edit distance in bytes (Levenshtein): insertions, removals and replacements.
    private static func editDistance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first.utf8), Array(second.utf8))
        var row = Array(0...second.count)
        for (index, byte) in first.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in second.indices {
                let replaced = diagonal + (byte == second[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[second.count]
    }
}
