import Assay
import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("Several processes verify with one ledger")
struct AssertionRaceTests {
    private static let appID = "1234567890.com.example.shop"
    private static let now = Date(timeIntervalSince1970: 1_790_000_000)

    /// Writes a policy that trusts a test authority, and the authority's root beside it.
    private func writePolicy(_ authority: TestAuthority, in folder: TemporaryFolder) throws -> String {
        try authority.rootPEM.write(toFile: folder.path("root.pem"), atomically: true, encoding: .utf8)
        let policy = """
            version: 1
            apps:
              - name: shop
                appAttest:
                  appIDs: [\(Self.appID)]
                  environments: [production]
                  challenge: caller
                  clientData: none
                  testRoots: ["file:root.pem"]
            """
        try policy.write(toFile: folder.path("policy.yaml"), atomically: true, encoding: .utf8)
        return folder.path("policy.yaml")
    }

    @Test("If 64 tasks in two processes present one assertion, exactly one is accepted, in each of 1000 rounds")
    func oneAssertion() async throws {
        let folder = try TemporaryFolder()
        let authority = try TestAuthority(notBefore: Self.now.addingTimeInterval(-86_400))
        let policyPath = try writePolicy(authority, in: folder)
        let ledger = try SQLiteLedger.open(path: folder.path(), busyTimeout: .seconds(20))
        let verifier = Verifier(policy: try PolicyFile.load(path: policyPath), ledger: ledger)
        let other = try StressProcess()
        try #require(try other.ask("open \(folder.path()) 20000") == "ok")
        try #require(try other.ask("policy \(policyPath)") == "ok")

        let key = AttestedKey()
        let attestation = try AttestationBlueprint(
            authority: authority, key: key, appID: Self.appID, clientData: .bytes([1, 2, 3]), issuedAt: Self.now
        ).mint()
        let enrolled = try await verifier.verify(attestation.record(id: "attestation"), at: Self.now)
        try #require(enrolled.outcome == .accept)

        var wins = (here: 0, there: 0)
        for counter in UInt32(1)...1000 {
            let record = try AssertionBlueprint(
                key: key, appID: Self.appID, counter: counter, clientData: .bytes([4, 5, 6])
            ).mint().record(id: "assertion", receivedAt: Self.now)
            try other.send("verify 32 \(record.json.filter { !$0.isNewline })")
            // A head start for the other process in every second round.
            if counter.isMultiple(of: 2) { usleep(300) }
            let here = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<32 {
                    group.addTask { try await verifier.verify(record, at: Self.now).outcome == .accept }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            let answer = try other.readLine()
            let there = try #require(Int(answer.dropFirst("accepted ".count)), "the other process answered \(answer)")
            try #require(here + there == 1, "at counter \(counter) accepted \(here) times here and \(there) there")
            wins.here += here
            wins.there += there
        }
        #expect(wins.here > 0 && wins.there > 0, "no race: \(wins)")
    }
}
