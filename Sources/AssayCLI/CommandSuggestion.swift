import ArgumentParser

/// Reports unknown commands and suggests similar names. The argument parser reports them as unexpected arguments.
enum CommandSuggestion {
    /// Throws if the arguments name an unknown command at any level.
    static func check(_ arguments: [String], in root: any ParsableCommand.Type) throws(CommandFailure) {
        var command = root
        var path = root._commandName
        for argument in arguments {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return }
            guard let next = subcommands.first(where: { $0._commandName == argument }) else {
                let names = subcommands.map { $0._commandName }
                let nearest = Nearest.names(to: argument, among: names)
                throw CommandFailure(
                    .usage,
                    "\(path) has no command \"\(argument.prefix(60))\"; "
                        + (nearest.isEmpty
                            ? "it has \(names.joined(separator: ", "))"
                            : "did you mean \(nearest.joined(separator: " or "))?"))
            }
            command = next
            path += " \(argument)"
        }
    }
}

/// Finds the known names nearest to a mistyped one.
enum Nearest {
    /// At most five names, the nearest first; empty if none is similar.
    static func names(to typed: String, among names: [String]) -> [String] {
        let typed = typed.lowercased()
        guard !typed.isEmpty, typed.utf8.count <= 200 else { return [] }
        let ranked = names.compactMap { name -> (name: String, distance: Int)? in
            let known = name.lowercased()
            if known.hasSuffix(".\(typed)") || known.hasPrefix(typed) { return (name, 0) }
            // Also match the last component of a check's name.
            let candidates = [known] + (known.split(separator: ".").last.map { [String($0)] } ?? [])
            let distance = candidates.map { editDistance(typed, $0) }.min() ?? .max
            return distance <= max(2, typed.utf8.count / 4) ? (name, distance) : nil
        }
        return ranked.enumerated()
            .sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
            .prefix(5).map(\.element.name)
    }

    /// The edit distance in bytes (Levenshtein): insertions, removals and replacements.
    static func editDistance(_ first: String, _ second: String) -> Int {
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
