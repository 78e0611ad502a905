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

    /// Prints a line for each record, and reports errors.
    ///
    /// - Parameters:
    ///   - key: the key that opens sealed records.
    ///   - line: composes the line of a record.
    /// - Throws: ``CommandFailure`` after all other records, when one could not be read.
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

    /// A line of JSON with control and formatting characters escaped. JSON has them in strings only, so the record is the same.
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
