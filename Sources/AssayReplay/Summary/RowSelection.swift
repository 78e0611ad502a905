/// The rows of a report: the first ``rows`` by category and corpus position, and the first ``rowsPerReason`` of every
/// reason, so that frequent reasons do not hide rare ones.
struct RowSelection: Sendable {
    static let rows = 2000
    static let rowsPerReason = 20
    /// The most reasons with rows of their own.
    static let reasons = 200

    /// Why a record is listed, in order of importance.
    private enum Category: Int, CaseIterable {
        case mismatch
        case changed
        case rejected
        case failed
        case accepted
    }

    /// The decisions of the policies; the second is nil without a comparison.
    private struct Reason: Hashable {
        let from: FlowEnd
        let to: FlowEnd?
    }

    private struct Entry {
        let row: ReplayRow
        /// Whether it is among the first ``rowsPerReason`` of its reason.
        let isExample: Bool
    }

    private var kept = Array(repeating: [Entry](), count: Category.allCases.count)
    private var examples: [Reason: Int] = [:]
    private(set) var layouts = CheckLayouts()

    /// Adds a record unless it exceeds the limits.
    mutating func offer(_ record: ReplayedRecord) {
        let reason = Reason(from: FlowEnd(record.judgement), to: record.against.map { FlowEnd($0) })
        let known = examples[reason]
        let isExample = known.map { $0 < RowSelection.rowsPerReason } ?? (examples.count < RowSelection.reasons)
        if isExample { examples[reason] = (known ?? 0) + 1 }
        let category = RowSelection.category(of: record).rawValue
        guard isExample || kept[category].count < RowSelection.rows else { return }
        kept[category].append(Entry(row: ReplayRow(record, &layouts), isExample: isExample))
    }

    /// The selected rows by category, then in corpus order.
    var sorted: [ReplayRow] {
        kept.joined().enumerated().filter { $0.offset < RowSelection.rows || $0.element.isExample }.map(\.element.row)
    }

    private static func category(of record: ReplayedRecord) -> Category {
        if record.isMismatch { return .mismatch }
        let outcome = record.judgement.outcome
        if let against = record.against?.outcome, (against == .accepted) != (outcome == .accepted) { return .changed }
        switch outcome {
        case .accepted: return .accepted
        case .rejected: return .rejected
        case .failed: return .failed
        }
    }
}
