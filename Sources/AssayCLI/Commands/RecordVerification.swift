import Assay
import AssayCore
import Foundation
import PlayIntegrity

/// Judges the records of files, in their order.
struct RecordVerification {
    let verifier: Verifier
    /// The app of all records, and nil when each speaks for itself.
    let app: String?
    /// The time of judgement, and nil for that of receipt.
    let time: Date?

    /// Judges the records of a file. What cannot be read is reported, and the rest is judged.
    ///
    /// - Returns: false after an outage that whatever comes next would meet as well.
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

    /// Judges the records of some bytes, which came out of something of a name.
    ///
    /// - Returns: false after an outage that whatever comes next would meet as well.
    func verify(
        _ bytes: [UInt8], of name: String, into report: inout VerdictReport
    ) async throws(CommandFailure) -> Bool {
        let lines = LineIndex(bytes)
        for (index, result) in RecordFile.read(bytes).enumerated() {
            switch result {
            case .failure(let error):
                report.fail(
                    record: RecordVerification.describe(error, in: name, lines)
                        + (error.record == nil && bytes.starts(with: "eyJ".utf8)
                            ? "; it looks like a token, and one without a record needs --kind" : ""))
            case .success(let record):
                let place = Place(file: name, number: index + 1, record: record, lines: lines)
                guard try await verify(record, at: place, into: &report) else { return false }
            }
        }
        return true
    }

    /// Judges a record that is not from a file.
    ///
    /// - Returns: false after an outage that whatever comes next would meet as well.
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

    private func verify(
        _ record: EvidenceRecord, at place: Place, into report: inout VerdictReport
    ) async throws(CommandFailure) -> Bool {
        // A record is input: it must not lead evidence past the app that the caller pins.
        if let app, let named = record.app, named != app {
            report.fail(record: "\(place.description): it names app \(named.prefix(80)), --app names \(app)")
            return true
        }
        let verdict: Verdict
        do throws(VerificationError) {
            guard let now = time ?? record.receivedAt else {
                throw .request(
                    RequestError(.noTime, "there is no receivedAt to judge it as captured; give --at"))
            }
            verdict = try await verifier.verify(app.map { record.named($0) } ?? record, at: now)
        } catch {
            switch error {
            case .outage(let outage):
                report.fail(outage)
                // The answer on this token is gone for good, or the ledger has forgotten those of its age, which says
                // nothing about the next one.
                let isOfThisOne =
                    (outage as? IntegrityDecoderOutage)?.code == .answerLost
                    || (outage as? LedgerOutage)?.code == .forgotten
                Console.note("\(place.description)\(isOfThisOne ? " is" : " and what follows are") not judged")
                return isOfThisOne
            case .record(let error): report.fail(record: "\(place.description(at: error.offset)), \(error)")
            case .request(let error):
                report.fail(
                    record: "\(place.description(at: record.evidence.offset)): \(error)\(RequestAdvice.text(error))")
            }
            return true
        }
        try report.add(verdict, id: record.id, fallback: place.description, expect: record.expect)
        return true
    }
}

/// Where a record stands.
private struct Place: CustomStringConvertible {
    let file: String
    let number: Int
    let record: EvidenceRecord
    let lines: LineIndex

    /// File and record.
    var description: String { "\(file): record \(record.id ?? "\(number)")" }

    /// File, record and line of a byte.
    func description(at offset: Int) -> String {
        "\(description), line \(lines.line(of: offset))"
    }
}

extension EvidenceRecord {
    /// The record with an app, when it names none.
    fileprivate func named(_ other: String) -> EvidenceRecord {
        EvidenceRecord(
            id: id, kind: kind, app: app ?? other, receivedAt: receivedAt, evidence: evidence, expect: expect)
    }
}
