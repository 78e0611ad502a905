import AssayCore
import AssayTesting
import FoundationEssentials

/// Evidence whose verdict depends on the ledger. The records of a file depend on each other.
extension IntegrityVectorMint {
    /// An answer is accepted once in its window, which includes both ends.
    func replays(isPC: Bool) throws(MintingError) -> [EvidenceRecord] {
        let prefix = isPC ? "pc-replay" : "standard-replay"
        func minted(_ id: String, _ change: (inout StandardAnswerBlueprint) -> Void = { _ in }) -> MintedStandardAnswer
        {
            var blueprint = isPC ? pc("\(prefix)-\(id)") : standard("\(prefix)-\(id)")
            change(&blueprint)
            return blueprint.mint()
        }
        let genuine = minted("genuine")
        let another = minted("another")
        let refused = minted("refused-first") { $0.payload[.isTestingResponse] = true }
        let early = minted("early") {
            if isPC {
                $0.payload[.requestTime] = .text(RFC3339.format(time.addingTimeInterval(60)))
            } else {
                $0.payload[.timestampMillis] = milliseconds(60_000)
            }
        }
        // First a minute ahead of the clock, at the end five minutes old: the longest time for which an answer is
        // fresh.
        let steps: [(String, MintedStandardAnswer, TimeInterval, VectorOutcome)] = [
            ("first", genuine, 0, .accept), ("at-once", genuine, 0, .reject("challenge")),
            ("of-another-token", another, 1, .accept), ("later", genuine, 60, .reject("challenge")),
            ("at-the-end-of-the-window", genuine, 298, .reject("challenge")),
            ("after-the-window", genuine, 299, .reject("freshness")), ("early-first", early, 0, .accept),
            ("early-in-the-last-second", early, 359, .reject("challenge")),
            ("early-at-the-end-of-the-window", early, 360, .reject("challenge")),
            ("early-after-the-window", early, 361, .reject("freshness")),
            ("refused-first", refused, 0, .reject("testing-response")),
            ("refused-again", refused, 1, .reject("testing-response")),
        ]
        var records: [EvidenceRecord] = []
        for (id, answer, delay, outcome) in steps {
            records.append(
                try answer.record(
                    id: "\(prefix)-\(id)", app: Self.app,
                    receivedAt: time.addingTimeInterval(delay), expect: outcome.expectation("play-integrity")))
        }
        return records
    }

    /// If the caller manages the nonces, a token is accepted as often as the caller presents it.
    var classicSentTwice: [VectorCase] {
        let nonce = Base64URL.text(nonce("twice"))
        return ["once", "twice"].map { name in
            classic("sent-\(name)", .accept, nonce: nonce) { $0.payload[.nonce] = .text(nonce) }
        }
    }

    var ledgerClassicChallenge: [VectorCase] {
        let text = Base64URL.text(bytes("challenge", count: 32))
        return [
            classic("challenge-never-issued", .reject("challenge")),
            classic("challenge-of-the-ledger's-form-never-issued", .reject("challenge"), nonce: text) {
                $0.payload[.nonce] = .text(text)
            },
            classic("challenge-of-a-refused-token", .reject("testing-response"), .isTestingResponse, true),
        ]
    }
}
