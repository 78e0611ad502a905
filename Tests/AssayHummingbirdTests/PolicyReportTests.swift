import Assay
import AssayCore
import AssayHTTP
import CoreMetrics
import Foundation
import Logging
import Testing

@Suite("Changes of the policy in the audit trail of a ledger that servers share")
struct PolicyReportTests {
    private static func text(_ app: String) -> PolicyReport.PolicyText {
        PolicyReport.PolicyText("file of \(app)", effective: "version: 1\napps:\n  - name: \(app)\n")
    }

    private static func read(
        _ new: String, after old: String, byServers count: Int, _ ledger: MemoryLedger
    ) async throws {
        let report = try PolicyReport(from: text(old), to: text(new))
        await withTaskGroup { group in
            for _ in 0..<count {
                group.addTask {
                    await report.record(
                        in: ledger, by: nil, because: "the file changed", at: Date(), Logger(label: "test"),
                        NOOPMetricsHandler.instance)
                }
            }
        }
    }

    private static func trail(_ ledger: MemoryLedger) async throws -> [LedgerChange] {
        try await ledger.auditEntries(of: nil, before: nil, atMost: 100).reversed().map(\.change)
    }

    private static func subject(_ app: String) -> String { "policy sha256:\(text(app).digest)" }

    @Test("Eight servers that read the same file write one entry with its digest; each way back is another entry")
    func once() async throws {
        let ledger = MemoryLedger()
        for (new, old) in [("b", "a"), ("a", "b"), ("b", "a")] {
            try await Self.read(new, after: old, byServers: 8, ledger)
        }
        let trail = try await Self.trail(ledger)
        #expect(trail.map(\.subject) == [Self.subject("b"), Self.subject("a"), Self.subject("b")])
        #expect(trail.allSatisfy { $0.action == .changePolicy })
        #expect(trail.first?.detail.contains("app a removed") == true, "\(trail)")
    }

    @Test("A server that read the file late, or two files at once, writes no entry that the trail has")
    func late() async throws {
        let ledger = MemoryLedger()
        try await Self.read("b", after: "a", byServers: 1, ledger)
        try await Self.read("c", after: "b", byServers: 1, ledger)
        try await Self.read("c", after: "a", byServers: 1, ledger)
        #expect(try await Self.trail(ledger).map(\.subject) == [Self.subject("b"), Self.subject("c")])
    }

    @Test("If the server that was to write the entry ended before, the next one writes it")
    func unfinished() async throws {
        let ledger = MemoryLedger()
        let digest = Array(Self.text("b").digest.utf8)
        #expect(try await ledger.store(digest, named: "recorded-policy", replacing: 0, at: Date()))
        try await Self.read("b", after: "a", byServers: 1, ledger)
        #expect(try await Self.trail(ledger).map(\.subject) == [Self.subject("b")])
    }
}
