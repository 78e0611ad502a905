import Assay
import AssayCore
import AssayPrimitives
import AssayReplay
import Foundation

/// Judges the records of files in order.
struct RecordVerification {
    let verifier: Verifier
    /// The app of all records; nil if each record names its own.
    let app: String?
    /// The account of all records; nil if each record names its own account or none.
    var account: String?
    /// The time of judgement; nil for `receivedAt` of each record.
    let time: Date?
    /// Opens sealed records; nil if there is no key.
    var captureKey: CapturePrivateKey?

    /// Judges the records of a file. Reports unreadable records and continues.
    ///
    /// - Returns: false after an outage that affects the following records too.
    func verify(_ file: String, into report: inout VerdictReport) async throws(CommandFailure) -> Bool {
        let name = InputFile.name(file)
        let bytes: [UInt8]
        do {
            bytes = try InputFile.read(file, limit: InputLimits.record)
        } catch {
            report.fail(error.message ?? name)
            return true
        }
        let isUp = try await verify(bytes, of: name, into: &report)
        report.endFile(name)
        return isUp
    }

    /// Judges the records in `bytes`. Messages use `name` for the source.
    ///
    /// - Returns: false after an outage that affects the following records too.
    func verify(
        _ bytes: [UInt8], of name: String, into report: inout VerdictReport
    ) async throws(CommandFailure) -> Bool {
        let bytes = captureKey.map { open(bytes, with: $0, of: name, into: &report) } ?? bytes
        let lines = LineIndex(bytes)
        for (index, result) in RecordFile.read(bytes).enumerated() {
            switch result {
            case .failure(let error):
                report.fail(
                    record: RecordVerification.describe(error, in: name, lines)
                        + (error.record == nil && error.line == nil ? RecordVerification.choice(bytes) : "")
                        + (error.error.field == "sealed" && captureKey == nil
                            ? "; a sealed record is opened with --capture-key" : ""))
            case .success(let record):
                let place = Place(file: name, number: index + 1, record: record, lines: lines)
                guard try await verify(record, at: place, into: &report) else { return false }
            }
        }
        return true
    }

    /// Opens the sealed records of a document, which has one per line. Reports records that cannot be opened, and
    /// leaves their lines empty.
    private func open(
        _ bytes: [UInt8], with key: CapturePrivateKey, of name: String, into report: inout VerdictReport
    ) -> [UInt8] {
        var document: [UInt8] = []
        var count = SealedLineCount()
        for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            if index > 0 { document.append(0x0A) }
            if !line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) {
                switch count.take(line) {
                case .record, .lastRecord(problem: nil): break
                case .lastRecord(let problem?): report.fail(record: "\(name): line \(index + 1), \(problem)")
                case .end(let problem):
                    if let problem { report.fail(record: "\(name): line \(index + 1), \(problem)") }
                    continue
                }
            }
            guard let value = try? JSONReader.read(line, limit: InputLimits.record, origin: 0) else {
                document += line
                continue
            }
            do {
                guard let sealed = try SealedRecord(value) else {
                    document += line
                    continue
                }
                document += try sealed.open(with: key).jsonLine.utf8
            } catch {
                report.fail(record: "\(name): line \(index + 1), \(error)")
            }
        }
        if count.lacksEnd { Console.note("\(name): \(SealedFileEnd.absence)") }
        return document
    }

    /// Judges a single record that does not come from a record file.
    ///
    /// - Returns: false after an outage that affects the following records too.
    func verify(
        _ record: EvidenceRecord, of name: String, into report: inout VerdictReport
    ) async throws(CommandFailure) -> Bool {
        let place = Place(file: name, number: 1, record: record, lines: LineIndex([]))
        return try await verify(record, at: place, into: &report)
    }

    private static func describe(_ error: RecordFile.Unreadable, in name: String, _ lines: LineIndex) -> String {
        let line = error.line ?? lines.line(of: error.error.offset)
        let record = error.record.map { "record \($0), " } ?? ""
        return "\(name): \(record)line \(line), \(error.error)"
    }

    /// A hint on the kind of a document without records, to append to the error.
    private static func choice(_ bytes: [UInt8]) -> String {
        if bytes.count <= BlobFile.limit, let choice = RecognisedBlob(bytes)?.choice { return "; \(choice)" }
        return bytes.starts(with: "eyJ".utf8) ? "; it looks like a token, and one without a record needs --kind" : ""
    }

    private func verify(
        _ record: EvidenceRecord, at place: Place, into report: inout VerdictReport
    ) async throws(CommandFailure) -> Bool {
        // A record is untrusted input. It must not override the app that the caller names.
        if let app, let named = record.app, named != app {
            report.fail(record: "\(place.description): it names app \(named.prefix(80)), --app names \(app)")
            return true
        }
        if let account, let named = record.account, !named.isByteEqual(to: account) {
            report.fail(record: "\(place.description): it names another account than --account")
            return true
        }
        let missing = record.indispensableFields(knowing: .current)
        guard missing.isEmpty else {
            report.fail(
                record: "\(place.description): the record was redacted, and cannot be judged without "
                    + missing.prefix(8).map(\.excerpt).joined(separator: ", "))
            return true
        }
        var judged = record
        judged.app = record.app ?? app
        judged.account = record.account ?? account
        let verdict: Verdict
        do throws(VerificationError) {
            guard let now = time ?? record.receivedAt else {
                throw .request(
                    RequestError(.noTime, "there is no receivedAt to judge it as captured; give --at"))
            }
            verdict = try await verifier.verify(judged, at: now)
        } catch {
            switch error {
            case .outage(let outage):
                report.fail(outage)
                // Affects only this record: a platform's answer for it is lost, or the ledger has purged entries of this age.
                let isOfThisOne = [.answerLost, .forgotten].contains(outage.code)
                Console.note("\(place.description)\(isOfThisOne ? " is" : " and what follows are") not judged")
                return isOfThisOne
            case .record(let error): report.fail(record: "\(place.description(at: error.offset)), \(error)")
            case .request(let error):
                report.fail(
                    record: "\(place.description(at: record.evidence.offset)): \(error)\(RequestAdvice.text(error))")
            }
            return true
        }
        let diagnosis = await Diagnosis.sentences(on: judged, verdict, verifier)
        try report.add(
            verdict, id: record.id, fallback: place.description, expect: record.expect,
            receivedAt: time == nil ? nil : record.receivedAt,
            remarks: verdict.outcome == .accept
                ? [] : diagnosis + [RecognisedBlob.mismatch(in: record)].compactMap(\.self))
        return true
    }
}

/// The position of a record.
private struct Place: CustomStringConvertible {
    let file: String
    let number: Int
    let record: EvidenceRecord
    let lines: LineIndex

    var description: String { "\(file): record \(record.id ?? "\(number)")" }

    /// File, record, and the line that contains a byte offset.
    func description(at offset: Int) -> String {
        "\(description), line \(lines.line(of: offset))"
    }
}

/// Advice on command-line options for a ``RequestError``.
enum RequestAdvice {
    /// Text to append to the error message; empty if no option helps.
    static func text(_ error: RequestError) -> String {
        switch error.reason {
        case .noService: "; --service-account has it sent to Google"
        case .noStatusList: "; --status-list \(StatusListChoice.forms) says which counts"
        case .ambiguousApp: "; --app names it"
        case .noKey: "; keys of a key store count with --ledger and its master key"
        default: ""
        }
    }
}
