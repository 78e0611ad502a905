/// Figures that belong together, measured by themselves: `make bench SECTIONS=name` runs only them.
protocol Section: Sendable {
    /// How it is selected: lower case, words joined by hyphens.
    var name: String { get }
    /// The heading of its table.
    var title: String { get }
    /// What the ratios are and which clock they come from, in a sentence or two.
    var note: String { get }

    /// Makes what is measured, and measures it.
    func figures(_ pace: Pace) async throws -> [Figure]
}

/// How long is measured.
struct Pace: Sendable {
    /// How many rounds there are, each of which gives a ratio.
    let rounds: Int
    /// How long each contender works in a round, in seconds.
    let turn: Double
    /// How many operations are done where their number is fixed, as a share of what a full run does.
    let share: Double

    static let full = Pace(rounds: 15, turn: 0.04, share: 1)
    /// A look whether all works. Its figures are rough.
    static let quick = Pace(rounds: 5, turn: 0.01, share: 0.05)

    /// A number of operations, or the share of it that this pace asks for.
    func count(_ full: Int) -> Int { max(1, Int(Double(full) * share)) }
}

/// A section after it has run.
struct SectionResult: Sendable {
    let name: String
    let title: String
    let note: String
    let figures: [Figure]

    /// What each peer leaves out, once for each job.
    var omissions: [(peer: String, text: String)] {
        var told: Set<String> = []
        return figures.filter { !$0.leavesOut.isEmpty && told.insert($0.baseline + $0.leavesOut).inserted }
            .map { ($0.baseline, $0.leavesOut) }
    }
}
