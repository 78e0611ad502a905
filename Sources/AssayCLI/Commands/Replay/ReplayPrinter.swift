import AssayCore
import AssayReplay
import Foundation

/// Prints what was rendered, in the order of the corpus, and keeps count.
struct ReplayPrinter {
    /// How many names of records are remembered in order to tell those that come twice.
    private static let idLimit = 4_000_000
    private static let toldDuplicates = 5

    private var progress: ReplayProgress
    private var file = ""
    private var complainedInFile = 0
    private var unjudgedInFile = 0
    private var mismatchedInFile = 0
    private var mentionedInFile = 0
    /// Why policies cannot be used: told once, and not of each of their records.
    private var policyReasons: Set<String> = []
    private var passedOver = 0
    /// Hashes, with the seed of this process: nobody makes two names meet on purpose.
    private var ids: Set<Int> = []
    private var duplicates = 0
    private var firstDuplicates: [String] = []
    /// Why printing ended.
    private(set) var failure: CommandFailure?
    /// The worst that has happened so far.
    private(set) var status = ExitStatus.success

    /// - Parameter total: how many bytes the corpus has, if that is known.
    init(total: Int?) {
        progress = ReplayProgress(total: total)
    }

    /// Prints a batch. Returns whether to go on.
    mutating func print(_ batch: ReplayBatchOutput, bytesRead: Int) -> Bool {
        if batch.file != file { endFile() }
        file = batch.file
        if !batch.complaints.isEmpty || !batch.mismatches.isEmpty { progress.clear() }
        for complaint in batch.complaints where complainedInFile < VerdictReport.toldPerFile {
            if let reason = complaint.policyReason, !policyReasons.insert(reason).inserted {
                passedOver += 1
                unjudgedInFile -= 1
                continue
            }
            Console.complain("error: \(complaint.text)")
            complainedInFile += 1
        }
        for mismatch in batch.mismatches where mentionedInFile < VerdictReport.toldPerFile {
            Console.complain("mismatch: \(mismatch)")
            mentionedInFile += 1
        }
        unjudgedInFile += batch.unjudged
        mismatchedInFile += batch.misjudged
        if batch.mismatched > 0 { status = max(status, .rejected) }
        if batch.unjudged > 0 { status = max(status, .unreadable) }
        for id in batch.ids { note(id) }
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

    /// Ends the last file.
    mutating func end() {
        progress.clear()
        endFile()
        if passedOver > 0 {
            Console.complain("error: \(passedOver) more records whose policy, named above, cannot be read")
        }
        passedOver = 0
    }

    private mutating func endFile() {
        let untold = unjudgedInFile - complainedInFile
        let unmentioned = mismatchedInFile - mentionedInFile
        if untold > 0 || unmentioned > 0 { progress.clear() }
        if untold > 0 { Console.complain("error: \(file): \(untold) more records that could not be judged") }
        if unmentioned > 0 { Console.complain("mismatch: \(file): \(unmentioned) more records with another verdict") }
        (complainedInFile, unjudgedInFile, mismatchedInFile, mentionedInFile) = (0, 0, 0, 0)
    }

    private mutating func note(_ id: String) {
        guard ids.count < ReplayPrinter.idLimit else { return }
        var hasher = Hasher()
        // Bytes, since equal text may be written with different ones.
        for byte in id.utf8 { hasher.combine(byte) }
        guard !ids.insert(hasher.finalize()).inserted else { return }
        duplicates += 1
        if firstDuplicates.count < ReplayPrinter.toldDuplicates { firstDuplicates.append(id) }
    }

    /// What there is to say at the end besides the summary.
    func remarks(_ terminal: Terminal) -> [String] {
        guard duplicates > 0 else { return [] }
        let names = firstDuplicates.map { terminal.printable($0.excerpt) }.joined(separator: ", ")
        let more = duplicates > firstDuplicates.count ? ", ..." : ""
        return ["", "\(NumberText.count(duplicates, "record")) with the id of an earlier one: \(names)\(more)"]
    }
}
