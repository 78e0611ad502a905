import AssayCore
import AssayLedgerPostgreSQL
import AssayTestSupport
import Foundation

/// Effects on keys that are named by numbers.
enum Sample {
    static let app = "shop"
    static let now = Date(timeIntervalSince1970: 1_776_795_192)

    static func identifier(_ number: Int) -> KeyIdentifier {
        KeyIdentifier(engine: "test", value: (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) })
    }

    static func key(_ number: Int) -> EnrolledKey {
        EnrolledKey(
            identifier: identifier(number), app: app, publicKey: [4] + identifier(number).value, counter: 0,
            enrolledAt: now, properties: ["appID": "1234567890.com.example.shop"])
    }

    static func enrol(_ number: Int) -> LedgerEffect { LedgerEffect(CheckID("test.enrolment"), .enrol(key(number))) }

    static func advance(_ number: Int, to counter: UInt32) -> LedgerEffect {
        LedgerEffect(
            CheckID("test.counter"),
            .advanceCounter(
                CounterAdvance(key: identifier(number), app: app, counter: counter, rule: .increasing)))
    }
}

extension PostgreSQLLedger {
    /// Opens a ledger for the time of `body`.
    static func with<Value>(_ url: String, _ body: (PostgreSQLLedger) async throws -> Value) async throws -> Value {
        let ledger = try await open(url)
        do {
            let value = try await body(ledger)
            try await ledger.close()
            return value
        } catch {
            try await ledger.close()
            throw error
        }
    }

    func counter(_ number: Int) async throws -> UInt32? { try await enrolledKey(Sample.identifier(number))?.counter }

    /// Commits, and returns the code of an outage; nil if there is none.
    func outage(of effects: [LedgerEffect]) async -> OutageCode? {
        do throws(LedgerOutage) { _ = try await commit(effects, at: Sample.now) } catch { return error.code }
        return nil
    }
}

/// Waits until `condition` holds; false if it does not within the limit of tests.
func poll(
    every pause: Duration = .milliseconds(50), _ condition: () async throws -> Bool
) async throws -> Bool {
    do { try await waitUntil("the condition", every: pause, condition) } catch is TooSlow { return false }
    return true
}
