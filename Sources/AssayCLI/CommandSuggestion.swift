import ArgumentParser

/// Refuses commands that do not exist and names the ones that may have been meant; the argument parser would only call
/// them unexpected arguments.
enum CommandSuggestion {
    /// Walks down the commands that the arguments name.
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

/// Finds the names that a mistyped name may mean.
enum Nearest {
    /// At most five names, the nearest first; none when nothing is near.
    static func names(to typed: String, among names: [String]) -> [String] {
        let typed = typed.lowercased()
        guard !typed.isEmpty, typed.utf8.count <= 200 else { return [] }
        let ranked = names.compactMap { name -> (name: String, distance: Int)? in
            let known = name.lowercased()
            if known.hasSuffix(".\(typed)") || known.hasPrefix(typed) { return (name, 0) }
            // A check may be called by its last part.
            let candidates = [known] + (known.split(separator: ".").last.map { [String($0)] } ?? [])
            let distance = candidates.map { editDistance(typed, $0) }.min() ?? .max
            return distance <= max(2, typed.utf8.count / 4) ? (name, distance) : nil
        }
        return ranked.enumerated()
            .sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
            .prefix(5).map(\.element.name)
    }

    /// How many bytes must be inserted, removed or replaced to turn one text into the other.
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
