/// One line of the table: what is measured, against what, their ratio, and what was wanted of it.
///
/// A ratio says how many times as much ours gets done as the baseline: 2 is twice as many in the same time. Absolute times
/// depend on the machine and its neighbours, so they are no results and stand beside the ratio as information.
struct Figure: Sendable {
    /// What of ours is measured.
    let subject: String
    /// What it is held against: a bare operation, or a peer that does the same job.
    let baseline: String
    /// The ratio of each round, gathered.
    let ratio: Spread
    let target: Target
    let standing: Standing
    /// What was measured beside the ratio, such as the time of one operation.
    var detail = ""
    /// What a peer leaves out of the job that ours does, and what it wrongly accepts.
    var leavesOut = ""

    /// Holds a ratio against a target.
    /// - Parameter ratios: one for each round.
    init(
        _ subject: String, against baseline: String, ratios: [Double], target: Target, detail: String = "",
        leavesOut: String = ""
    ) {
        self.subject = subject
        self.baseline = baseline
        ratio = Spread(ratios)
        self.target = target
        standing =
            if case .none = target { .information } else {
                target.isReached(by: ratio.median) ? .reached : .missed
            }
        self.detail = detail
        self.leavesOut = leavesOut
    }

    /// A figure whose standing is not that of its median alone.
    init(
        _ subject: String, against baseline: String, ratios: [Double], target: Target, standing: Standing,
        detail: String
    ) {
        self.subject = subject
        self.baseline = baseline
        ratio = Spread(ratios)
        self.target = target
        self.standing = standing
        self.detail = detail
    }

    /// What could not be measured at all, and why.
    init(_ subject: String, against baseline: String, notShown reason: String, target: Target) {
        self.init(subject, against: baseline, ratios: [], target: target, standing: .notShown(reason), detail: "")
    }

    /// Whether nothing that was asked for is missing.
    var isReached: Bool {
        switch standing {
        case .reached, .information: true
        case .missed, .notShown: false
        }
    }
}
