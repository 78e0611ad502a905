import AssayCore

/// The rows that a summary shows: the first ones of all, and the first ones of every reason, so that a rare reason is not
/// hidden by a frequent one.
struct RowSelection: Mergeable {
    /// How many of all are shown.
    static let rows = 2000
    /// How many reasons are told apart: pairs of the checks at which two policies stop.
    static let reasons = 200

    private var first = RowSet(limit: RowSelection.rows)
    private var byReason = BoundedTable<RowSet>(limit: RowSelection.reasons)

    init() {}

    /// Takes a record, which is rendered only if it is to be shown.
    mutating func offer(_ rank: @autoclosure () -> RowRank, reason: String, row: () -> ReplayRow) {
        let rank = rank()
        var ranked: RankedRow?
        func rendered() -> RankedRow {
            let row = ranked ?? RankedRow(rank: rank, row: row())
            ranked = row
            return row
        }
        if first.wants(rank) { first.offer(rendered()) }
        byReason.update(reason) { rows in
            if rows.wants(rank) { rows.offer(rendered()) }
        }
    }

    mutating func merge(_ other: RowSelection) {
        first.merge(other.first)
        byReason.merge(other.byReason)
    }

    /// Takes a row that another selection had.
    mutating func offer(_ row: ReplayRow) {
        let ranked = RankedRow(rank: row.rank, row: row)
        first.offer(ranked)
        byReason.update(row.reason) { $0.offer(ranked) }
    }

    /// All of them, in their order. From these the selection can be made again.
    var sorted: [ReplayRow] {
        let first = first.sorted
        guard self.first.isFull, let last = first.last else { return first.map(\.row) }
        // Of what comes before the last one all is there; what comes after it is there for its reason alone.
        let reasons = byReason.all.map(\.value) + [byReason.others]
        let more = reasons.flatMap { $0.sorted.filter { last < $0 } }.sorted()
        let same = first.count { $0 == last }
        let missing = (reasons.map { rows in rows.sorted.count { $0 == last } }.max() ?? 0) - same
        return (first + Array(repeating: last, count: max(0, missing)) + more).map(\.row)
    }

    /// The first row of each reason.
    var examples: [(reason: String, row: ReplayRow)] {
        byReason.sorted.compactMap { entry in entry.value.sorted.first.map { (entry.key, $0.row) } }
    }
}

extension ReplayedRecord {
    /// Where it stands among the rows.
    var rank: RowRank {
        let outcome = judgement.outcome
        return RowRank(
            category: RowRank.Category(outcome, against: against?.outcome, isMismatch: isMismatch), time: time,
            file: ByteText(place.file.name.shown(atMost: RowLimits.name)), position: place.line ?? place.number,
            id: ByteText((id ?? "").shown(atMost: RowLimits.name)))
    }
}

extension ReplayRow {
    /// Where it stands among the rows.
    var rank: RowRank {
        RowRank(
            category: RowRank.Category(judgement.outcome, against: against?.outcome, isMismatch: unmet != nil),
            time: time, file: ByteText(file), position: line ?? number, id: ByteText(id ?? ""))
    }

    /// What it is shown for.
    var reason: String {
        FlowKey(
            from: FlowEnd(judgement.outcome, judgement.reason),
            to: against.map { FlowEnd($0.outcome, $0.reason) }
        ).text
    }
}

extension RowRank.Category {
    init(_ outcome: ReplayOutcome, against: ReplayOutcome?, isMismatch: Bool) {
        self =
            if isMismatch {
                .mismatch
            } else if let against, (against == .accepted) != (outcome == .accepted) {
                .changed
            } else {
                switch outcome {
                case .accepted: .accepted
                case .rejected: .rejected
                case .failed: .failed
                }
            }
    }
}
