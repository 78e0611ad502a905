import AssayReplay

/// Shows the progress of a replay.
struct ReplayProgress {
    fileprivate struct Counts {
        /// The size of the corpus in bytes; nil if unknown.
        let total: Int?
        var accepted = 0
        var rejected = 0
        var failed = 0
    }

    private var line = ProgressLine()
    private var counts: Counts

    /// - Parameter total: the size of the corpus in bytes; nil if unknown.
    init(total: Int?) {
        counts = Counts(total: total)
    }

    /// Counts a batch and redraws the line.
    mutating func update(_ batch: ReplayBatchOutput, bytesRead: Int) {
        counts.accepted += batch.accepted
        counts.rejected += batch.rejected
        counts.failed += batch.failed
        line.update { [counts] in counts.parts(bytesRead: bytesRead, elapsed: $0) }
    }

    /// Erases the line before other output.
    mutating func clear() { line.clear() }
}

extension ReplayProgress.Counts {
    fileprivate func parts(bytesRead: Int, elapsed: Double) -> [String] {
        let count = accepted + rejected + failed
        var parts = [NumberText.count(count, "record")]
        if let total, total > 0, bytesRead > 0 {
            let share = min(Double(bytesRead) / Double(total), 1)
            parts.append("\(Int(share * 100)) %")
            if elapsed > 1 { parts.append("\(Self.clock(elapsed / share - elapsed)) left") }
        }
        parts.append("\(NumberText.count(accepted)) accepted, \(NumberText.count(rejected)) rejected")
        if failed > 0 { parts.append("\(NumberText.count(failed)) not judged") }
        if elapsed > 0.5 { parts.append("\(NumberText.count(Int(Double(count) / elapsed)))/s") }
        return parts
    }

    private static func clock(_ seconds: Double) -> String {
        let whole = Int(max(0, min(seconds, 359_999)).rounded(.up))
        let (minutes, rest) = (whole / 60, whole % 60)
        return "\(minutes):\(rest < 10 ? "0" : "")\(rest)"
    }
}
