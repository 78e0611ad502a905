import AppAttest
import Assay
import AssayCore
import AssayService
import AssayTesting
import Foundation
import Testing

@Suite("The rings of recent verdicts")
struct RecentVerdictsTests {
    private struct LongFinding: CheckFinding {
        let code = "long"
        let detail: String
    }

    private static let kind = EvidenceKind("test.kind")

    private static func recent(
        _ rejections: Int, _ acceptances: Int = 100, sampling: Int = 1
    ) -> RecentVerdicts {
        var settings = RecentVerdicts.Settings()
        (settings.rejections, settings.acceptances, settings.sampling) = (rejections, acceptances, sampling)
        return RecentVerdicts(settings)
    }

    /// A rejection by checks with a detail each.
    private static func rejection(checks: Int, detail: String) async throws -> Verdict {
        let results = (0..<checks).map { CheckResult.failed(CheckID("test.check-\($0)"), LongFinding(detail: detail)) }
        return try await Assessment(
            kind: kind, app: "app", catalogue: [], checks: results, ledgerChecks: [], effects: [],
            subject: nil, testAuthority: nil, passesWithoutProof: true
        ).verdict(committingTo: MemoryLedger(), at: Date())
    }

    private static func all(_ limit: Int = .max) -> RecentSelection {
        var selection = RecentSelection()
        selection.limit = limit
        return selection
    }

    @Test("Ten thousand rejections with long details stay below the limit of bytes, and the last ones are kept")
    func bounds() async throws {
        let recent = Self.recent(100_000)
        let verdict = try await Self.rejection(checks: 16, detail: String(repeating: "x", count: 600))
        for index in 0..<10_000 { recent.add(verdict, RecentSource(.verify, "\(index)")) }
        let kept = recent.kept.rejections
        #expect(kept.size <= RecentVerdicts.rejectionsLimit && kept.count < 10_000 && kept.count > 500, "\(kept)")
        let entries = recent.entries(Self.all())
        #expect(entries.map(\.request) == (0..<10_000).reversed().prefix(kept.count).map { "\($0)" })
        #expect(entries.last?.time == kept.oldest)
    }

    @Test("Long texts of an entry are cut, and a long verdict is left out")
    func cut() async throws {
        let recent = Self.recent(10)
        let verdict = try await Self.rejection(checks: 20, detail: String(repeating: "\u{E9}", count: 100_000))
        var source = RecentSource(.verify, "1", record: String(repeating: "r", count: 5000))
        source.account = String(repeating: "a", count: 5000)
        recent.add(verdict, source)
        let entry = try #require(recent.entry(request: "1"))
        #expect(entry.isCut && entry.verdict == nil && entry.checks.count == 16)
        #expect(entry.json.utf8.count < 32_768)
        var selection = RecentSelection()
        selection.account = source.account
        #expect(recent.entries(selection).count == 1, "a filter is cut as the entry is")
        recent.add(try await Self.rejection(checks: 1, detail: "short"), RecentSource(.verify, "2"))
        let short = try #require(recent.entry(request: "2"))
        #expect(!short.isCut && short.verdict?.contains("short") == true && short.checks.first?.detail == "short")
        #expect(recent.entry(request: "3") == nil)
    }

    @Test("One in so many acceptances is kept, and acceptances displace no rejection")
    func sampling() async throws {
        let recent = Self.recent(3, 5, sampling: 10)
        let rejection = try await Self.rejection(checks: 1, detail: "d")
        let acceptance = try await Verdict.stub(accepting: .approovToken)
        for index in 0..<4 { recent.add(rejection, RecentSource(.verify, "reject \(index)")) }
        for index in 0..<1000 { recent.add(acceptance, RecentSource(.verify, "accept \(index)")) }
        #expect(
            recent.entries(Self.all()).map(\.request) == [
                "accept 990", "accept 980", "accept 970", "accept 960", "accept 950", "reject 3", "reject 2",
                "reject 1",
            ])
        #expect(recent.entries(Self.all(2)).map(\.request) == ["accept 990", "accept 980"])
        #expect(recent.kept.rejections.count == 3 && recent.kept.acceptances.count == 5)
    }

    @Test(
        "Ten thousand forgeries displace neither the rejection of a genuine device nor an outage; what is claimed is marked"
    )
    func flood() async throws {
        let recent = Self.recent(100)
        let genuine = try await Verdict.stub(
            rejecting: .appAttestAssertion, failed: [.appAttestAssertionCounter],
            subject: AppAttestSubject(keyID: [UInt8](repeating: 7, count: 32)))
        recent.add(genuine, RecentSource(.verify, "genuine"))
        recent.add(.outage(LedgerOutage(.unreachable, "the ledger is gone")), RecentSource(.verify, "outage"))
        let junk = try await Self.rejection(checks: 1, detail: "d")
        var source = RecentSource(.verify, "junk")
        source.key = "CQk="
        for _ in 0..<10_000 { recent.add(junk, source) }
        #expect(recent.kept.rejections.count == 102)
        let key = try #require(recent.entry(request: "genuine"))
        #expect(key.isProven && key.key != nil && !key.json.contains("isClaimed"), "\(key.json)")
        #expect(recent.entry(request: "outage")?.outcome == .outage)
        #expect(recent.entry(request: "junk")?.json.contains(#""key":"CQk=","isClaimed":true"#) == true)
    }

    @Test("Without rejections nothing is kept; without acceptances, rejections are")
    func off() async throws {
        let off = Self.recent(0)
        let rejectionsOnly = Self.recent(1, 0)
        for recent in [off, rejectionsOnly] {
            recent.add(try await Self.rejection(checks: 1, detail: "d"), RecentSource(.verify, "1"))
            recent.add(try await Verdict.stub(accepting: .approovToken), RecentSource(.verify, "2"))
        }
        #expect(!off.isOn && off.entries(Self.all()).isEmpty)
        #expect(rejectionsOnly.isOn && rejectionsOnly.entries(Self.all()).map(\.request) == ["1"])
    }

    @Test("What gives no verdict is kept with its code; a malformed record with its field and byte")
    func withoutVerdict() throws {
        let recent = Self.recent(10)
        recent.add(.outage(LedgerOutage(.unreachable, "the ledger is gone")), RecentSource(.stream, "outage"))
        recent.add(
            .record(RecordError(field: "evidence.keyId", offset: 17, "the field is missing")),
            RecentSource(.verify, "record", record: "r"))
        recent.add(.request(RequestError(.noKey, "no key")), RecentSource(.token, "configuration"))
        recent.add(.request(RequestError(.unknownApp, "no app")), RecentSource(.token, "request"))
        let found = recent.entries(Self.all())
        #expect(found.map(\.outcome) == [.unjudged, .misconfigured, .unreadable, .outage])
        #expect(found.map(\.code) == ["unknown-app", "no-key", "unreadable-record", "unreachable"])
        let record = try #require(recent.entry(request: "record"))
        #expect(record.field == "evidence.keyId" && record.offset == 17 && record.record == "r")
        var selection = RecentSelection()
        selection.check = "unreachable"
        #expect(recent.entries(selection).map(\.request) == ["outage"], "a code selects too")
        selection.check = nil
        selection.outcome = .unreadable
        #expect(recent.entries(selection).map(\.request) == ["record"])
    }

    @Test("A check is selected by its name, its first parts or its code")
    func checks() async throws {
        let recent = Self.recent(10)
        recent.add(try await Self.rejection(checks: 2, detail: "d"), RecentSource(.verify, "1"))
        for (check, isFound) in [
            ("test.check-1", true), ("test.", true), ("test", true), ("long", true), ("test.check", false),
            ("tes", false),
        ] {
            var selection = RecentSelection()
            selection.check = check
            #expect(recent.entries(selection).isEmpty != isFound, "\(check)")
        }
    }

    @Test("Verdicts of many tasks at once are kept once each, with numbers in order, while others read")
    func concurrency() async throws {
        let recent = Self.recent(1000)
        let rejection = try await Self.rejection(checks: 1, detail: "d")
        await withTaskGroup(of: Void.self) { tasks in
            for task in 0..<8 {
                tasks.addTask {
                    for index in 0..<500 {
                        recent.add(rejection, RecentSource(.verify, "\(task) \(index)"))
                        if index % 100 == 0 { #expect(recent.entries(Self.all()).count <= 1000) }
                    }
                }
            }
        }
        let entries = recent.entries(Self.all())
        #expect(entries.map(\.number) == (3001...4000).reversed())
        #expect(Set(entries.map(\.request)).count == 1000)
    }
}
