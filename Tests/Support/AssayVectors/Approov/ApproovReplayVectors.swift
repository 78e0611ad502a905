import AssayCore
import AssayPrimitives
import AssayTesting
import FoundationEssentials

/// Messages whose verdict depends on the ledger. The records of a file depend on each other.
extension ApproovVectorMint {
    private typealias Step = (id: String, message: MintedApproovMessage, delay: TimeInterval, outcome: VectorOutcome)

    private func replay(
        _ id: String, app: String = "signed", _ change: @escaping (inout ApproovMessageBlueprint) -> Void = { _ in }
    ) throws(MintingError) -> MintedApproovMessage {
        try minted("message-replay-\(id)", app: app, change)
    }

    private func records(_ steps: [Step], app: String) -> [EvidenceRecord] {
        steps.map { step in
            step.message.record(
                id: "message-\(step.id)", app: app, receivedAt: time.addingTimeInterval(step.delay),
                expect: step.outcome.expectation("approov"))
        }
    }

    /// A signed message is accepted once in its window.
    func messageReplay() throws(MintingError) -> [EvidenceRecord] {
        let genuine = try replay("genuine") { $0.signing[parameter: "expires"] = nil }
        let again = try replay("genuine") {
            $0.signing[parameter: "expires"] = nil
            $0.writeSignature = { $0.isHighS ? $0.withLowS.concatenated : $0.withHighS.concatenated }
        }
        var withMore = genuine
        withMore[field: "X-Retry"] = "1"
        withMore.fields.reverse()
        let second = try replay("genuine") {
            $0.signing[parameter: "expires"] = nil
            $0.signing[parameter: "created"] = .integer(Int64(time.timeIntervalSince1970) - 1)
        }
        let nonce = try replay("genuine") {
            $0.signing[parameter: "expires"] = nil
            $0.signing[parameter: "nonce"] = .string("another")
        }
        let other = try replay("other") { $0.signing[parameter: "expires"] = nil }
        var refused = try replay("refused") { $0.signing[parameter: "expires"] = nil }
        let late = refused
        refused.method = "PUT"
        let refusal = VectorOutcome.reject("message.replay")
        let installations: [Step] = [
            ("first", genuine, 0, .accept), ("at-once", genuine, 0, refusal),
            ("with-n-minus-s", again, 0, refusal), ("with-unsigned-fields-changed", withMore, 1, refusal),
            ("a-second-later-made", second, 1, .accept), ("with-a-nonce", nonce, 1, .accept),
            ("of-another-token", other, 1, .accept),
            // A rejection consumes nothing.
            ("refused", refused, 2, .reject("message.signature")), ("after-the-refused", late, 2, .accept),
            ("at-the-end-of-the-window", genuine, 58, refusal),
            ("after-the-window", genuine, 59, .reject("message.freshness")),
        ]
        let account = try replay("account", app: "signed-account")
        let accounts: [Step] = [
            ("account-first", account, 0, .accept), ("account-again", account, 3, refusal),
            ("account-at-the-end", account, 12, refusal),
            ("account-expired", account, 13, .reject("message.freshness")),
        ]
        return records(installations, app: "signed") + records(accounts, app: "signed-account")
            // A request is accepted once for all APIs that share the ledger.
            + records([("for-another-api", genuine, 3, refusal)], app: "signed-once")
    }

    /// For a policy under which the caller detects replays.
    func messageOften() throws(MintingError) -> [EvidenceRecord] {
        let message = try replay("often", app: "signed-often")
        return records(
            [("often-first", message, 0, .accept), ("often-again", message, 1, .accept)], app: "signed-often")
    }
}
