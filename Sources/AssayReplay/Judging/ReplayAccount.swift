import AssayPrimitives

/// Keeps count of what ledgers presume and memos remember while files follow each other.
struct ReplayAccount {
    private var statistics = ReplayStatistics()
    private var ledgers: (primary: ReplayLedger?, against: ReplayLedger?) = (nil, nil)

    init(isComparison: Bool) {
        if isComparison { statistics.presumptionsAgainst = ReplayPresumptions() }
    }

    /// Goes on with the records of a bench. Benches come in the order of the corpus.
    mutating func open(_ bench: ReplayBench) {
        if let ledger = bench.primary.ledger, ledger !== ledgers.primary {
            closePrimary()
            ledgers.primary = ledger
        }
        if let ledger = bench.against?.ledger, ledger !== ledgers.against {
            closeAgainst()
            ledgers.against = ledger
        }
    }

    /// Adds what a memo was asked.
    mutating func add(_ memo: SignatureMemo?) {
        guard let memo else { return }
        statistics.verifiedSignatures += memo.verified
        statistics.recalledSignatures += memo.recalled
    }

    /// Everything that was counted.
    var finished: ReplayStatistics {
        var last = self
        last.closePrimary()
        last.closeAgainst()
        return last.statistics
    }

    private mutating func closePrimary() {
        if let ledger = ledgers.primary { statistics.presumptions.add(ledger.presumptions) }
    }

    private mutating func closeAgainst() {
        if let ledger = ledgers.against { statistics.presumptionsAgainst?.add(ledger.presumptions) }
    }
}
