import AssayCore
import AssayTesting
import FoundationEssentials

/// Evidence whose verdict depends on the ledger. The records of a file depend on each other.
extension AppAttestVectorMint {
    func enrolment() throws(MintingError) -> [EvidenceRecord] {
        let blueprint = attestation("enrolment-first")
        let first = try blueprint.mint()
        let again = try blueprint.handing(.bytes(challenge("enrolment-again"))).mint()
        let refused = VectorOutcome.reject("enrolment").expectation("app-attest.attestation")
        return [
            first.record(
                id: "enrolment-first", app: Self.app,
                expect: VectorOutcome.accept.expectation("app-attest.attestation")),
            first.record(id: "enrolment-of-the-same-attestation", app: Self.app, expect: refused),
            again.record(id: "enrolment-of-the-same-key", app: Self.app, expect: refused),
        ]
    }

    func assertionSequence() throws(MintingError) -> [EvidenceRecord] {
        let id = "sequence"
        var records = [
            try attestation(id).mint().record(
                id: "sequence-attestation", app: Self.app,
                expect: VectorOutcome.accept.expectation("app-attest.attestation"))
        ]
        func add(_ name: String, _ minted: MintedAssertion, _ outcome: VectorOutcome) {
            records.append(
                minted.record(
                    id: "sequence-\(name)", app: Self.app, receivedAt: time,
                    expect: outcome.expectation("app-attest.assertion")))
        }
        let first = try assertion(id, counter: 1).mint()
        add("first", first, .accept)
        add("first-replayed", first, .reject("counter"))
        add("fifth", try assertion(id, counter: 5).mint(), .accept)
        add("third-late", try assertion(id, counter: 3).mint(), .reject("counter"))
        add("fifth-of-another-request", try assertion(id, counter: 5, clientData: [1]).mint(), .reject("counter"))
        // An unsigned counter must not use up the counters below it.
        var forged = assertion(id, counter: .max)
        forged.signature = .written { $0.der.flippingLastBit() }
        add("forged", try forged.mint(), .reject("signature"))
        add("sixth", try assertion(id, counter: 6).mint(), .accept)
        add("of-a-key-never-attested", try assertion("sequence-unknown").mint(), .reject("key"))
        return records
    }

    /// For a policy with `counter: window(4)`.
    func windowSequence() throws(MintingError) -> [EvidenceRecord] {
        let id = "window"
        var records = [
            try attestation(id).mint().record(
                id: "window-attestation", app: Self.app,
                expect: VectorOutcome.accept.expectation("app-attest.attestation"))
        ]
        for (name, counter, outcome) in [
            ("second", 2, .accept), ("first-late", 1, .accept), ("first-replayed", 1, .reject("counter")),
            ("ninth", 9, .accept), ("fifth-late", 5, .accept), ("fourth-too-late", 4, .reject("counter")),
            ("ninth-replayed", 9, .reject("counter")), ("attested", 0, .reject("counter")), ("eighth-late", 8, .accept),
        ] as [(String, UInt32, VectorOutcome)] {
            records.append(
                try assertion(id, counter: counter).mint().record(
                    id: "window-\(name)", app: Self.app, receivedAt: time,
                    expect: outcome.expectation("app-attest.assertion")))
        }
        return records
    }

    /// For a policy with `account: required` and one key per account.
    func accountSequence() throws(MintingError) -> [EvidenceRecord] {
        var records: [EvidenceRecord] = []
        func add(_ record: EvidenceRecord, of account: String?, _ outcome: VectorOutcome, _ code: String?) {
            var record = record
            record.account = account
            let expected = outcome.expectation(record.kind.name)
            record.expect = .init(
                outcome: expected.outcome, failed: expected.failed.map { .init(check: $0.check, code: code) })
            records.append(record)
        }
        func attested(_ name: String, _ key: String) throws(MintingError) -> EvidenceRecord {
            try attestation(key).mint().record(id: "accounts-\(name)", app: Self.app)
        }
        func asserted(_ name: String, _ counter: UInt32) throws(MintingError) -> EvidenceRecord {
            try assertion("accounts", counter: counter).mint().record(
                id: "accounts-\(name)", app: Self.app, receivedAt: time)
        }
        add(try attested("attested-by-nobody", "accounts"), of: nil, .reject("account"), "account-missing")
        add(try attested("attested", "accounts"), of: "alice", .accept, nil)
        add(try attested("second-key", "accounts-2"), of: "alice", .reject("enrolment"), "devices-exceeded")
        add(try attested("key-of-bob", "accounts-2"), of: "bob", .accept, nil)
        add(try asserted("asserted", 1), of: "alice", .accept, nil)
        add(try asserted("asserted-by-bob", 2), of: "bob", .reject("account"), "key-of-another-account")
        add(try asserted("asserted-by-nobody", 2), of: nil, .reject("account"), "account-missing")
        add(try asserted("asserted-again", 2), of: "alice", .accept, nil)
        return records
    }

    func ledgerChallenge() throws(MintingError) -> [EvidenceRecord] {
        let id = "challenge-never-issued"
        return [
            try attestation(id).mint().record(
                id: "attestation-\(id)", app: Self.app,
                expect: VectorOutcome.reject("challenge").expectation("app-attest.attestation")),
            try assertion(id).mint().record(
                id: "assertion-\(id)", app: Self.app, receivedAt: time,
                challenge: challenge(id),
                storedCounter: 0, expect: VectorOutcome.reject("challenge").expectation("app-attest.assertion")),
        ]
    }
}
