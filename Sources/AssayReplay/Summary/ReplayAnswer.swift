/// The result of a replay in sentences, for people.
package struct ReplayAnswer: Sendable {
    /// The most names in a sentence.
    private static let named = 3

    private let summary: ReplaySummary
    private let against: String

    package init(_ summary: ReplaySummary, against: String) {
        self.summary = summary
        self.against = against
    }

    /// What the second policy would cost; without a comparison, the outcomes.
    package var sentence: String {
        guard summary.isComparison else { return "\(summary.sentence)." }
        let (accepted, lost) = (summary.outcomes.accepted, summary.changes.lost)
        guard accepted > 0 else { return "No request is accepted that \(against) could lose.\(gained)" }
        guard lost.records > 0 else {
            let all =
                accepted == 1
                ? "would not lose the accepted request"
                : "would lose none of the \(NumberText.count(accepted)) accepted requests"
            return "\(against) \(all).\(gained)"
        }
        let origin = lost.origin.isEmpty ? "" : " from \(lost.origin)"
        return
            "\(against) would lose \(NumberText.count(lost.records)) of \(NumberText.count(accepted, "accepted request")) "
            + "(\(NumberText.percent(lost.records, of: accepted)))\(origin).\(gained)"
    }

    private var gained: String {
        let gained = summary.changes.gained.records
        return gained == 0 ? "" : " \(NumberText.count(gained)) more \(gained == 1 ? "is" : "are") accepted."
    }

    /// Why requests are lost; without a comparison, why records are rejected. Nil if none is.
    package var reason: String? {
        let causes =
            summary.isComparison
            ? summary.changes.causes.filter(\.isLoss).map { ($0.check, $0.tally.records) }
            : summary.checkTallies.map { ($0.check, $0.tally.first) }.filter { $0.1 > 0 }
        guard let (first, count) = causes.first else { return nil }
        if causes.count == 1 { return "The only reason is \(first)." }
        let equal = causes.prefix { $0.1 == count }.map(\.0)
        if equal.count == 1 { return "The most frequent reason is \(first), for \(NumberText.count(count)) of them." }
        return "The most frequent reasons are \(Self.list(equal)), for \(NumberText.count(count)) each."
    }

    private static func list(_ names: [String]) -> String {
        guard names.count > named else {
            return names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
        }
        let others = names.count - named
        return names.prefix(named).joined(separator: ", ") + " and \(NumberText.count(others, "other"))"
    }

    /// How to read the numbers of a comparison.
    package var remarks: [String] {
        guard summary.isComparison else { return [] }
        let lost = summary.changes.lost
        var remarks: [String] = []
        if lost.consequences > 0 {
            let verb = lost.consequences == 1 ? "is" : "are"
            remarks.append(
                "\(NumberText.count(lost.consequences)) of the lost requests \(verb) lost only because the attestation of the key is "
                    + "refused.")
        }
        if lost.devices > 0, lost.unnamed > 0 {
            remarks.append(
                "\(NumberText.count(lost.unnamed)) of the lost requests \(lost.unnamed == 1 ? "names" : "name") no device."
            )
        }
        return remarks
    }
}
