import AssayCore
import AssayLedgerSQLite
import AssayTestSupport
import Foundation
import Testing

@Suite("Freshness of the keys of a store")
struct SealedKeyFreshnessTests {
    @Test("Concurrent callers read the file once within a second")
    func looks() async throws {
        let fixture = try SealedKeyFixture()
        try await fixture.add("a")
        for second in 1...3 {
            try await withThrowingTaskGroup(of: [String: String].self) { group in
                for _ in 0..<100 { group.addTask { try await fixture.store.secrets() } }
                for try await secrets in group { #expect(secrets == ["a": "a secret"]) }
            }
            fixture.clock.advance(by: .milliseconds(999))
            _ = try await fixture.store.secrets()
            #expect(fixture.store.reads == second)
            fixture.clock.advance(by: .milliseconds(1))
        }
    }

    @Test("An unchanged key is not unsealed again")
    func unchanged() async throws {
        let fixture = try SealedKeyFixture()
        try await fixture.add("a")
        func material() async throws -> SecretBytes {
            try #require(try await fixture.store.keys(for: TestSecret.purpose).first?.material as? TestSecret).secret
        }
        let first = try await material()
        fixture.clock.advance(by: .seconds(2))
        #expect(try await material() === first)
        #expect(fixture.store.reads == 2)
    }

    @Test(
        "Changes by the same store take effect at once, also during a concurrent read",
        .timeLimit(.minutes(20)))
    func ownChanges() async throws {
        let fixture = try SealedKeyFixture()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    while !Task.isCancelled {
                        _ = try await fixture.store.secrets()
                        // Fresh keys are returned without suspending, and there are only as many threads as cores.
                        await Task.yield()
                    }
                }
            }
            for number in 0..<50 {
                try await fixture.add("\(number)")
                try #require(try await fixture.store.secrets().count == number + 1)
            }
            for number in 0..<50 {
                try await fixture.store.remove("\(number)", at: SealedKeyFixture.now)
                try #require(try await fixture.store.secrets().count == 49 - number)
            }
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test("Changes by another store take effect within a second of a real clock")
    func otherChanges() async throws {
        let fixture = try SealedKeyFixture()
        let reader = SealedKeyStore(
            storage: try SQLiteLedger.open(path: fixture.folder.path()), masterKey: try SealedKeyFixture.masterKey(),
            materials: [TestSecret.self])
        #expect(try await reader.secrets() == [:])
        try await fixture.add("a")
        let deadline = ContinuousClock.now + .seconds(1) * Sanitizer.slowdown
        while try await reader.secrets().isEmpty, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(10))
        }
        // The last read may have begun before the deadline.
        #expect(try await reader.secrets() == ["a": "a secret"])
    }

    @Test("A key can be added while the ledger is written without pause", .timeLimit(.minutes(20)))
    func busyLedger() async throws {
        let fixture = try SealedKeyFixture()
        for seed in UInt32(0)..<64 { _ = try await fixture.ledger.commit([Fixture.enrol(seed)], at: Fixture.now) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seed in UInt32(0)..<64 {
                group.addTask {
                    var counter: UInt32 = 0
                    while !Task.isCancelled {
                        counter += 1
                        try #require(try await fixture.ledger.isAdvanced(seed, counter))
                    }
                }
            }
            for number in 0..<3 { try await fixture.add("\(number)") }
            group.cancelAll()
            try await group.waitForAll()
        }
        #expect(try await fixture.store.secrets().count == 3)
    }

    @Test("Cancelling one caller does not cancel others")
    func cancellation() async throws {
        let fixture = try SealedKeyFixture()
        try await fixture.add("a")
        for _ in 0..<20 {
            fixture.clock.advance(by: .seconds(1))
            let task = Task { try await fixture.store.secrets() }
            task.cancel()
            #expect(try await fixture.store.secrets() == ["a": "a secret"])
            #expect(try await task.value == ["a": "a secret"])
        }
    }
}
