import AssayReplay

/// Prints rendered batches in corpus order, and counts records.
struct ReplayPrinter {
    private struct FileCounts {
        var name = ""
        var shownErrors = 0
        var unjudged = 0
        var shownMismatches = 0
        var misjudged = 0
    }

    private var progress: ReplayProgress
    private var file = FileCounts()
    /// Reasons for unreadable policies, each printed only once.
    private var policyReasons: Set<String> = []
    private var skippedErrors = 0
    /// The summary of all records; nil if not needed.
    private(set) var summary: ReplaySummary?
    /// Why printing ended early.
    private(set) var failure: CommandFailure?
    /// The worst status so far.
    private(set) var status = ExitStatus.success

    /// - Parameters:
    ///   - total: the size of the corpus in bytes; nil if unknown.
    ///   - summary: collects the records; nil if not needed.
    init(total: Int?, summary: ReplaySummary?) {
        progress = ReplayProgress(total: total)
        self.summary = summary
    }

    /// Prints a batch. Returns false to stop the replay.
    mutating func print(_ batch: ReplayBatchOutput, bytesRead: Int) -> Bool {
        // By index: iterating over values retains every object they reference.
        for index in batch.records.indices { summary?.add(batch.records[index]) }
        if batch.file != file.name { endFile() }
        file.name = batch.file
        if !batch.errors.isEmpty || !batch.mismatches.isEmpty { progress.clear() }
        for error in batch.errors where file.shownErrors < VerdictReport.shownPerFile {
            if let reason = error.policyReason, !policyReasons.insert(reason).inserted {
                skippedErrors += 1
                file.unjudged -= 1
                continue
            }
            Console.complain("error: \(error.text)")
            file.shownErrors += 1
        }
        for mismatch in batch.mismatches where file.shownMismatches < VerdictReport.shownPerFile {
            Console.complain("mismatch: \(mismatch)")
            file.shownMismatches += 1
        }
        file.unjudged += batch.unjudged
        file.misjudged += batch.misjudged
        if batch.mismatched > 0 { status = max(status, .rejected) }
        if batch.unjudged > 0 { status = max(status, .unreadable) }
        if !batch.bytes.isEmpty {
            progress.clear()
            do {
                try Console.write(batch.bytes)
            } catch {
                failure = error
                return false
            }
        }
        progress.update(batch, bytesRead: bytesRead)
        return true
    }

    /// Finishes the output of the last file.
    mutating func end() {
        progress.clear()
        endFile()
        if skippedErrors > 0 {
            Console.complain("error: \(skippedErrors) more records whose policy, named above, cannot be read")
        }
        skippedErrors = 0
    }

    private mutating func endFile() {
        let errors = file.unjudged - file.shownErrors
        let mismatches = file.misjudged - file.shownMismatches
        if errors > 0 || mismatches > 0 { progress.clear() }
        if errors > 0 { Console.complain("error: \(file.name): \(errors) more records that could not be judged") }
        if mismatches > 0 {
            Console.complain("mismatch: \(file.name): \(mismatches) more records with another verdict")
        }
        file = FileCounts()
    }
}

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
