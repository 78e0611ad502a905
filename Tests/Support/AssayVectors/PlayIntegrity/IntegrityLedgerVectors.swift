import AssayCore
import AssayTesting
import FoundationEssentials

/// Evidence that is judged by what the ledger already holds: the records of a file depend on each other.
struct IntegrityLedgerVectors: VectorGroup {
    let mint: IntegrityVectorMint

    func files() throws(MintingError) -> [VectorDraft] {
        [
            mint.file("standard-replay.json", try replays(isPC: false)),
            mint.file("pc/standard-replay.json", try replays(isPC: true)),
            mint.file("classic-sent-twice.json", twice),
            mint.file("ledger/classic-challenge.json", challenges),
        ]
    }

    /// An answer is good once in its window, which both of its ends belong to.
    private func replays(isPC: Bool) throws(MintingError) -> [EvidenceRecord] {
        let prefix = isPC ? "pc-replay" : "standard-replay"
        func minted(_ id: String, _ change: (inout StandardAnswerBlueprint) -> Void = { _ in }) -> MintedStandardAnswer
        {
            var blueprint = isPC ? mint.pc("\(prefix)-\(id)") : mint.standard("\(prefix)-\(id)")
            change(&blueprint)
            return blueprint.mint()
        }
        let genuine = minted("genuine")
        let another = minted("another")
        let refused = minted("refused-first") { $0.payload[.isTestingResponse] = true }
        let early = minted("early") {
            if isPC {
                $0.payload[.requestTime] = .text(RFC3339.format(mint.time.addingTimeInterval(60)))
            } else {
                $0.payload[.timestampMillis] = mint.milliseconds(60_000)
            }
        }
        // A minute ahead at first, and five minutes old at the end: the longest that an answer can be good.
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
                    id: "\(prefix)-\(id)", app: IntegrityVectorMint.app,
                    receivedAt: mint.time.addingTimeInterval(delay), expect: outcome.expectation("play-integrity")))
        }
        return records
    }

    /// Where the caller keeps the nonces, a token can be judged as often as the caller likes.
    private var twice: [ClassicCase] {
        let nonce = Base64URL.text(mint.nonce("twice"))
        return ["once", "twice"].map { name in
            ClassicCase("sent-\(name)", .accept, nonce: nonce) { $0.payload[.nonce] = .text(nonce) }
        }
    }

    private var challenges: [ClassicCase] {
        let text = Base64URL.text(mint.bytes("challenge", count: 32))
        return [
            ClassicCase("challenge-never-issued", .reject("challenge")),
            ClassicCase("challenge-of-the-ledger's-form-never-issued", .reject("challenge"), nonce: text) {
                $0.payload[.nonce] = .text(text)
            },
            ClassicCase("challenge-of-a-refused-token", .reject("testing-response"), .isTestingResponse, true),
        ]
    }
}
