import Assay
import AssayCore
import AssayTesting
import AssayVectors
import Foundation
import Testing

/// Every minted record is judged at times all over, before and after it was judged at its own.
@Suite("Verdicts while the clock steps", .timeLimit(.minutes(20)))
struct ClockStepTests {
    private static let day = 86_400.0

    private static func times(around time: Date) -> [Date] {
        [-1, 1, -3600, 3600, 86_400, -86_400, 365 * day, -365 * day, 30 * 365 * day].map { time + $0 }
            + [
                Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: -1), .distantPast, .distantFuture,
                Date(timeIntervalSince1970: 253_402_300_799), Date(timeIntervalSince1970: 1e15),
                Date(timeIntervalSince1970: -1e15), Date(timeIntervalSince1970: 1e300),
                Date(timeIntervalSince1970: -1e300),
            ]
    }

    @Test(
        "A clock that steps any way crashes nothing, changes no verdict after it is right again, and makes nothing fresh",
        arguments: ["app-attest", "play-integrity", "approov"])
    func steps(_ engine: String) async throws {
        let vectors = try MintedVectors.committed(engine)
        var used = 0
        for policyFile in vectors.files where policyFile.path.hasSuffix("policy.yaml") {
            let folder = String(policyFile.path.dropLast("policy.yaml".count))
            let policy = try vectors.policy(folder)
            for file in vectors.files where file.path.hasPrefix(folder) && file.path.hasSuffix(".json") {
                guard !file.path.dropFirst(folder.count).contains("/") else { continue }
                let ledger = FaultyLedger()
                // For analysis: verdicts that admit requests reject loggable tokens.
                let verifier = Verifier(policy: policy, ledger: ledger, engines: .standard, use: .analysis)
                for result in RecordFile.read(Array(file.contents.utf8)) {
                    let record = try result.get()
                    let (time, expected) = (try #require(record.receivedAt), try #require(record.expect))
                    ledger.recover()
                    let verdict = try await verifier.verify(record, at: time)
                    #expect(verdict.outcome == expected.outcome, "\(file.path) \(record.id ?? "")")
                    // What a commit used up is used up at any time.
                    guard verdict.outcome == .accept, ledger.history.contains(where: { $0.operation == .commit }) else {
                        continue
                    }
                    used += 1
                    for other in Self.times(around: time) + [time] {
                        let again = try? await verifier.verify(record, at: other).outcome
                        #expect(again != .accept, "\(file.path) \(record.id ?? "") again at \(other)")
                    }
                }
            }
        }
        #expect(used > 3)
    }

    @Test(
        "Evidence of any kind is judged at any time without a crash",
        arguments: ["app-attest", "play-integrity", "approov"])
    func anyTime(_ engine: String) async throws {
        let vectors = try MintedVectors.committed(engine)
        var judged = 0
        for policyFile in vectors.files where policyFile.path.hasSuffix("policy.yaml") {
            let folder = String(policyFile.path.dropLast("policy.yaml".count))
            let policy = try vectors.policy(folder)
            for file in vectors.files where file.path.hasPrefix(folder) && file.path.hasSuffix(".json") {
                guard !file.path.dropFirst(folder.count).contains("/") else { continue }
                for result in RecordFile.read(Array(file.contents.utf8)) {
                    let record = try result.get()
                    // Only what holds gets as far as all comparisons of times.
                    guard let time = record.receivedAt, record.expect?.outcome == .accept else { continue }
                    let verifier = Verifier(
                        policy: policy, ledger: MemoryLedger(), engines: .standard, use: .analysis)
                    for other in Self.times(around: time) {
                        do {
                            judged += 1
                            let verdict = try await verifier.verify(record, at: other)
                            _ = verdict.checks.map { $0.finding?.detail }
                        } catch .outage(let outage) {
                            Issue.record("\(record.id ?? ""): \(outage)")
                        } catch {
                            // A key that is not live at that time is the caller's error.
                        }
                    }
                }
            }
        }
        #expect(judged > 100)
    }

    @Test("The validity of a remembered certificate path is checked each time")
    func rememberedPath() async throws {
        let verifier = Verifier(policy: try Fixtures.policy(), ledger: MemoryLedger())
        let record = try Fixtures.attestation().record(id: "a")
        #expect(try await verifier.verify(record, at: Fixtures.time).outcome == .accept)
        for years in [-50.0, -2, 50, 7000] {
            let verdict = try await verifier.verify(record, at: Fixtures.time + years * 365 * Self.day)
            #expect(verdict.failed.first?.name == "app-attest.attestation.chain", "\(years) years")
        }
        let verdict = try await verifier.verify(record, at: Fixtures.time)
        #expect(verdict.failed.map(\.name) == ["app-attest.attestation.enrolment"])
    }
}
