import ArgumentParser
import Assay
import AssayCore
import AssayReplay

/// The corpus that a command rewrites.
struct CorpusArguments: ParsableArguments {
    @Argument(
        help: """
            Files of records, folders with *.json, *.ndjson and *.jsonl in them, each also with .gz or .zst, and - for \
            standard input.
            """, completion: .file())
    var corpus: [String]

    /// Prints the line that `line` composes for each record, and reports errors.
    ///
    /// - Parameters:
    ///   - key: opens sealed records.
    ///   - isPart: whether each file is a part of another one.
    ///   - line: composes the line of a record; for the last one it gets the number of all lines.
    /// - Throws: ``CommandFailure`` after the last record if any record was unreadable.
    func rewrite(
        opening key: CapturePrivateKey? = nil, isPart: Bool = false,
        _ line: (EvidenceRecord, Int?) throws(CaptureError) -> String
    ) throws {
        let reader: CorpusReader
        do {
            var options = CorpusOptions()
            options.isPart = isPart
            reader = try CorpusReader(paths: corpus, options: options)
        } catch {
            throw CommandFailure(.usage, error.description)
        }
        var file: CorpusFile?
        var (failures, total, printed) = (0, 0, 0)
        func endFile() {
            if failures > VerdictReport.shownPerFile, let file {
                Console.complain(
                    "error: \(file.name): \(failures - VerdictReport.shownPerFile) more records cannot be read")
            }
            failures = 0
        }
        func complain(_ place: CorpusPlace, _ error: any Error) {
            (failures, total) = (failures + 1, total + 1)
            if failures <= VerdictReport.shownPerFile { Console.complain("error: \(place): \(error)") }
        }
        // Printed when the next record is there, or none: the line of the last one differs.
        var waiting: (record: EvidenceRecord, place: CorpusPlace)?
        func printWaiting(isLast: Bool) throws {
            guard let (record, place) = waiting else { return }
            waiting = nil
            let text: String
            do throws(CaptureError) { text = try line(record, isLast ? printed + 1 : nil) } catch {
                return complain(place, error)
            }
            try Console.print(CorpusArguments.escaped(text))
            printed += 1
        }
        while let batch = reader.next() {
            if batch.file != file { endFile() }
            file = batch.file
            for item in batch.items {
                switch item.record(opening: key) {
                case .success(let record):
                    try printWaiting(isLast: false)
                    waiting = (record, item.place)
                case .failure(let error): complain(item.place, error)
                }
            }
        }
        try printWaiting(isLast: true)
        endFile()
        for note in reader.takeNotes() { Console.note(note) }
        guard total == 0 else { throw CommandFailure(.unreadable) }
    }

    /// Escapes control and formatting characters. JSON has them in strings only, so the decoded record is unchanged.
    private static func escaped(_ line: String) -> String {
        guard line.utf8.contains(where: { $0 >= 0x7F }) else { return line }
        var text = ""
        for scalar in line.unicodeScalars {
            guard scalar.isActedOn else {
                text.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            }
        }
        return text
    }
}
