import Assay
import Foundation

/// Judges the records of files, in their order.
struct RecordVerification {
    let verifier: Verifier
    /// The app of records that name none.
    let app: String?
    /// The time of judgement, and nil for that of receipt.
    let time: Date?

    /// Judges the records of a file. What cannot be read is reported, and the rest is judged.
    ///
    /// - Returns: false when the ledger is out, as it will be for whatever comes next.
    func verify(_ file: String, into report: inout VerdictReport) async throws(CommandFailure) -> Bool {
        let name = InputFile.name(file)
        let bytes: [UInt8]
        do {
            bytes = try InputFile.read(file, limit: InputLimits.record)
        } catch {
            report.fail(error.message ?? name)
            return true
        }
        for (index, result) in RecordFile.read(bytes).enumerated() {
            switch result {
            case .failure(let error):
                report.fail(RecordVerification.describe(error, in: name, bytes))
            case .success(let record):
                let place = Place(file: name, number: index + 1, record: record, bytes: bytes)
                guard try await verify(record, at: place, into: &report) else { return false }
            }
        }
        return true
    }

    private static func describe(_ error: RecordFile.Unreadable, in name: String, _ bytes: [UInt8]) -> String {
        let line = error.line ?? Place.line(of: error.error.offset, in: bytes)
        let record = error.record.map { "record \($0), " } ?? ""
        return "\(name): \(record)line \(line), \(error.error)"
    }

    private func verify(
        _ record: EvidenceRecord, at place: Place, into report: inout VerdictReport
    ) async throws(CommandFailure) -> Bool {
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
                return false
            case .record(let error): report.fail("\(place.description(at: error.offset)), \(error)")
            case .request(let error): report.fail("\(place.description(at: record.evidence.offset)): \(error)")
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
    let bytes: [UInt8]

    /// File and record.
    var description: String { "\(file): record \(record.id ?? "\(number)")" }

    /// File, record and line of a byte.
    func description(at offset: Int) -> String {
        "\(description), line \(Place.line(of: offset, in: bytes))"
    }

    /// The line of a byte, counted from 1.
    static func line(of offset: Int, in bytes: [UInt8]) -> Int {
        bytes.prefix(offset).count { $0 == UInt8(ascii: "\n") } + 1
    }
}

extension EvidenceRecord {
    /// The record with an app, when it names none.
    fileprivate func named(_ other: String) -> EvidenceRecord {
        EvidenceRecord(
            id: id, kind: kind, app: app ?? other, receivedAt: receivedAt, evidence: evidence, expect: expect)
    }
}
