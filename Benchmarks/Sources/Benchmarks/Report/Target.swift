/// What a ratio has to be.
enum Target: Sendable, Equatable {
    case atLeast(Double)
    case atMost(Double)
    /// More than one: a peer that does the same job has to be slower.
    case faster
    /// Shown for what it tells; nothing is asked of it.
    case none

    /// Whether a ratio is as wanted.
    func isReached(by value: Double) -> Bool {
        switch self {
        case .atLeast(let least): value >= least
        case .atMost(let most): value <= most
        case .faster: value > 1
        case .none: true
        }
    }
}

/// How a measurement stands to its target.
enum Standing: Sendable, Equatable {
    case reached
    case missed
    /// The machine could not show it, and why. Counts as not reached.
    case notShown(String)
    /// There is no target.
    case information
}
