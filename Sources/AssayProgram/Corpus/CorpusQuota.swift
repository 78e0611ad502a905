/// Distributes defects over the records of a kind. At any point, the number of records with a defect differs from its
/// share by at most one.
struct CorpusQuota: Sendable {
    private struct Entry {
        let defect: CorpusDefect
        let share: Int
        /// Random offset in millionths, so that defects with equal shares hit different records.
        let phase: Int
        var count = 0
    }

    private var records = 0
    private var entries: [Entry] = []
    private var repetition: Entry?

    init(_ population: CorpusPopulation, shares: [String: CorpusShare], random: inout CorpusRandom) {
        for defect in population.defects {
            guard let share = shares[population.check(defect)]?.partsPerMillion, share > 0 else { continue }
            let entry = Entry(defect: defect, share: share, phase: random.below(1_000_000))
            if defect == population.repetition { repetition = entry } else { entries.append(entry) }
        }
    }

    /// Counts a record and returns its defect; nil for none.
    mutating func next() -> CorpusDefect? {
        records += 1
        var chosen: Int?
        var most = 999_999
        for (index, entry) in entries.enumerated() where due(entry, records) > most {
            chosen = index
            most = due(entry, records)
        }
        guard let chosen else { return nil }
        entries[chosen].count += 1
        return entries[chosen].defect
    }

    /// Counts a record that repeats accepted evidence.
    mutating func countRepetition() { records += 1 }

    /// Whether the record that was just accepted must be sent again.
    mutating func isRepetitionDue() -> Bool {
        guard let entry = repetition, due(entry, records + 1) >= 1_000_000 else { return false }
        repetition?.count += 1
        return true
    }

    private func due(_ entry: Entry, _ records: Int) -> Int {
        entry.share * records + entry.phase - entry.count * 1_000_000
    }
}
