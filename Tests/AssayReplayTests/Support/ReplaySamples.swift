import Assay
import AssayCore
import AssayReplay
import AssayTestSupport
import Foundation

/// A subject with any facts.
struct SampleSubject: EngineSubject {
    var fields: [SubjectField]
    var madeAt: Date?
    var presentedCounter: Int64?
    var identifier: String?
}

/// Results of records, without evidence.
enum ReplaySamples {
    static let time = Date(timeIntervalSince1970: 1_776_795_192)
    static let kinds = ["app-attest.assertion", "app-attest.attestation", "play-integrity.classic"]

    /// A verdict with given check results. A failed one rejects.
    static func verdict(
        kind: String = kinds[0], app: String? = "shop", checks: [CheckResult], subject: SampleSubject? = nil,
        at time: Date = time
    ) async throws -> Verdict {
        try await Assessment(
            kind: EvidenceKind(kind), app: app, catalogue: [], checks: checks, ledgerChecks: [], effects: [],
            subject: subject,
            testAuthority: nil
        ).verdict(committingTo: MemoryLedger(), at: time)
    }

    /// The results of a kind's checks, all passed but one.
    static func checks(
        of kind: String = kinds[0], failing name: String? = nil, annotating noted: String? = nil,
        detail: String = "found something else"
    ) -> [CheckResult] {
        let names = Verifier.catalogue.map(\.id).filter { $0.name.hasPrefix(kind + ".") }
        var broken: CheckID?
        return (names.isEmpty ? Verifier.catalogue.map(\.id).filter { $0.name.hasPrefix("play-integrity.") } : names)
            .map {
                check in
                if let broken { return .skipped(check, because: .check(broken)) }
                if check.name == name {
                    broken = check
                    return .failed(check, Finding(CheckCode("mismatch", ""), detail))
                }
                return check.name == noted ? .annotated(check, Finding(CheckCode("old", ""), detail)) : .passed(check)
            }
    }

    static func record(
        _ judgement: ReplayedRecord.Judgement, against: ReplayedRecord.Judgement? = nil, id: String? = "a",
        file: String = "corpus.ndjson", line: Int? = 1, number: Int = 1, receivedAt: Date? = time,
        expect: EvidenceRecord.Expectation? = nil, duration: Double? = nil, account: String? = nil,
        root: ReplayRoot? = nil
    ) -> ReplayedRecord {
        ReplayedRecord(
            place: CorpusPlace(file: CorpusFile(name: file, folder: nil), line: line, number: number), id: id,
            receivedAt: receivedAt, expect: expect, judgement: judgement, against: against, duration: duration,
            account: account, root: root)
    }

    /// Many records over several days: accepted, rejected by any check, and not judged. They have more versions than a
    /// summary counts separately, and some occur twice.
    static func corpus(_ count: Int, seed: UInt64, isComparison: Bool = true) async throws -> [ReplayedRecord] {
        var random = SeededGenerator(seed: seed)
        var records: [ReplayedRecord] = []
        for number in 1...count {
            let time = time.addingTimeInterval(Double(Int.random(in: 0..<10_000_000, using: &random)) / 7)
            let first = try await judgement(at: time, &random)
            let second: ReplayedRecord.Judgement? =
                isComparison ? Bool.random(using: &random) ? first : try await judgement(at: time, &random) : nil
            let record = record(
                first, against: second, id: number % 7 == 0 ? nil : "record-\(number)", line: number, number: number,
                receivedAt: number % 50 == 0 ? nil : time,
                expect: number % 3 == 0 ? .init(outcome: .accept, failed: []) : nil,
                duration: Double(Int.random(in: 0..<100_000, using: &random)) / 1e6)
            records.append(record)
            if number % 40 == 0 { records.append(record) }
        }
        return records
    }

    private static func judgement(
        at time: Date, _ random: inout SeededGenerator
    ) async throws -> ReplayedRecord.Judgement {
        let dice = Int.random(in: 0..<100, using: &random)
        if dice < 4 { return .failure(ReplayFailure(["unreadable", "no-policy"][dice % 2], "byte \(dice): no")) }
        let kind = kinds[dice % kinds.count]
        let names = checks(of: kind).map(\.check.name)
        let failing = dice < 30 ? names.randomElement(using: &random) : nil
        let noted = dice > 90 ? names.randomElement(using: &random) : nil
        let version = Int.random(in: 0..<4000, using: &random)
        let subject = SampleSubject(
            fields: [
                SubjectField("keyId", .text("key \(dice)")),
                SubjectField("bundleVersion", .text("1.\(version)")),
                SubjectField("deviceRecognitionVerdict", .texts(["MEETS_BASIC_INTEGRITY"])),
                SubjectField("isTestingResponse", .flag(dice.isMultiple(of: 2))),
            ], madeAt: time.addingTimeInterval(Double(dice) - 3), presentedCounter: Int64(version))
        return .verdict(
            try await verdict(
                kind: kind, app: ["shop", "bank"][dice % 2],
                checks: checks(of: kind, failing: failing, annotating: noted), subject: subject, at: time))
    }
}

extension ReplaySummary {
    /// The summary of some records.
    init(_ records: some Sequence<ReplayedRecord>) {
        self.init()
        for record in records { add(record) }
    }
}
