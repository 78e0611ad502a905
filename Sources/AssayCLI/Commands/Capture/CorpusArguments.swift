import ArgumentParser
import AssayCapture
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
    /// - Parameter key: opens sealed records.
    /// - Throws: ``CommandFailure`` after the last record if any record was unreadable.
    func rewrite(
        opening key: CapturePrivateKey? = nil, _ line: (EvidenceRecord) throws(CaptureError) -> String
    ) throws {
        let reader: CorpusReader
        do {
            reader = try CorpusReader(paths: corpus)
        } catch {
            throw CommandFailure(.usage, error.description)
        }
        var file: CorpusFile?
        var (failures, total) = (0, 0)
        func endFile() {
            if failures > VerdictReport.shownPerFile, let file {
                Console.complain(
                    "error: \(file.name): \(failures - VerdictReport.shownPerFile) more records cannot be read")
            }
            failures = 0
        }
        while let batch = reader.next() {
            if batch.file != file { endFile() }
            file = batch.file
            for item in batch.items {
                do {
                    let record = try item.record(opening: key).get()
                    try Console.print(CorpusArguments.escaped(line(record)))
                } catch let failure as CommandFailure {
                    throw failure
                } catch {
                    (failures, total) = (failures + 1, total + 1)
                    if failures <= VerdictReport.shownPerFile { Console.complain("error: \(item.place): \(error)") }
                }
            }
        }
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
