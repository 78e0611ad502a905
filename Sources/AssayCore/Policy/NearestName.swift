/// Finds the known names nearest to a mistyped one.
package enum Nearest {
    /// The most bytes of text that is compared: strangers send some of it. No check and no field has a longer name.
    private static let longest = 80

    /// The names at the smallest distance, at most five; empty if none is similar.
    package static func names(to typed: String, among names: [String]) -> [String] {
        guard !typed.isEmpty, typed.utf8.count <= longest else { return [] }
        let typed = Array(typed.lowercased().utf8)
        // Allow less distance between short words: many short words are similar.
        let limit = min(max(2, typed.count / 4), typed.count / 2)
        let ending = [UInt8(ascii: ".")] + typed
        let ranked = names.compactMap { name -> (name: String, distance: Int)? in
            let known = Array(name.lowercased().utf8)
            if known.starts(with: typed) || known.suffix(ending.count).elementsEqual(ending) { return (name, 0) }
            // Also match the last component of a check's name.
            let last = known.lastIndex(of: UInt8(ascii: ".")).map { known[($0 + 1)...] }
            let distances = [known[...], last].compactMap { $0.flatMap { editDistance(typed, $0, atMost: limit) } }
            return distances.min().map { (name, $0) }
        }
        let smallest = ranked.map(\.distance).min()
        return ranked.filter { $0.distance == smallest }.prefix(5).map(\.name)
    }

    /// The end of an error message: `; did you mean A or B?`, or empty if no name is similar.
    package static func advice(for typed: String, among names: [String]) -> String {
        let nearest = Nearest.names(to: typed, among: names)
        return nearest.isEmpty ? "" : "; did you mean \(nearest.joined(separator: " or "))?"
    }

    /// The edit distance in bytes (Levenshtein): insertions, removals and replacements. Nil beyond the limit, which the lengths or some rows
    /// of the table show for most names.
    private static func editDistance(_ first: [UInt8], _ second: ArraySlice<UInt8>, atMost limit: Int) -> Int? {
        guard abs(first.count - second.count) <= limit else { return nil }
        var row = Array(0...second.count)
        for (index, byte) in first.enumerated() {
            var (diagonal, least) = (row[0], index + 1)
            row[0] = index + 1
            for (column, other) in second.enumerated() {
                let replaced = diagonal + (byte == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
                least = min(least, row[column + 1])
            }
            if least > limit { return nil }
        }
        return row[second.count] <= limit ? row[second.count] : nil
    }
}
