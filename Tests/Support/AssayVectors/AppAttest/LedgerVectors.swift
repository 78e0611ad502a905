import AssayCore
import AssayTesting
import FoundationEssentials

/// Evidence that is judged by what the ledger already holds: the records of a file depend on each other.
struct LedgerVectors: VectorGroup {
    let mint: AppAttestVectorMint

    func files() throws(MintingError) -> [VectorDraft] {
        [
            mint.file("enrolment.json", try enrolment()),
            mint.file("assertion-sequence.json", try sequence()),
            mint.file("ledger/challenge.json", try challenges()),
        ]
    }

    private func enrolment() throws(MintingError) -> [EvidenceRecord] {
        let blueprint = mint.attestation("enrolment-first")
        let first = try blueprint.mint()
        let again = try blueprint.handing(.bytes(mint.challenge("enrolment-again"))).mint()
        let refused = VectorOutcome.reject("enrolment").expectation("app-attest.attestation")
        return [
            first.record(
                id: "enrolment-first", app: AppAttestVectorMint.app,
                expect: VectorOutcome.accept.expectation("app-attest.attestation")),
            first.record(id: "enrolment-of-the-same-attestation", app: AppAttestVectorMint.app, expect: refused),
            again.record(id: "enrolment-of-the-same-key", app: AppAttestVectorMint.app, expect: refused),
        ]
    }

    private func sequence() throws(MintingError) -> [EvidenceRecord] {
        let id = "sequence"
        var records = [
            try mint.attestation(id).mint().record(
                id: "sequence-attestation", app: AppAttestVectorMint.app,
                expect: VectorOutcome.accept.expectation("app-attest.attestation"))
        ]
        func add(_ name: String, _ minted: MintedAssertion, _ outcome: VectorOutcome) {
            records.append(
                minted.record(
                    id: "sequence-\(name)", app: AppAttestVectorMint.app, receivedAt: mint.time,
                    expect: outcome.expectation("app-attest.assertion")))
        }
        let first = try mint.assertion(id, counter: 1).mint()
        add("first", first, .accept)
        add("first-replayed", first, .reject("counter"))
        add("fifth", try mint.assertion(id, counter: 5).mint(), .accept)
        add("third-late", try mint.assertion(id, counter: 3).mint(), .reject("counter"))
        add("fifth-of-another-request", try mint.assertion(id, counter: 5, clientData: [1]).mint(), .reject("counter"))
        // A counter that nobody signed must not spend the ones below it.
        var forged = mint.assertion(id, counter: .max)
        forged.signature = .written { $0.der.flippingLastBit() }
        add("forged", try forged.mint(), .reject("signature"))
        add("sixth", try mint.assertion(id, counter: 6).mint(), .accept)
        add("of-a-key-never-attested", try mint.assertion("sequence-unknown").mint(), .reject("key"))
        return records
    }

    private func challenges() throws(MintingError) -> [EvidenceRecord] {
        let id = "challenge-never-issued"
        return [
            try mint.attestation(id).mint().record(
                id: "attestation-\(id)", app: AppAttestVectorMint.app,
                expect: VectorOutcome.reject("challenge").expectation("app-attest.attestation")),
            try mint.assertion(id).mint().record(
                id: "assertion-\(id)", app: AppAttestVectorMint.app, receivedAt: mint.time,
                challenge: mint.challenge(id),
                storedCounter: 0, expect: VectorOutcome.reject("challenge").expectation("app-attest.assertion")),
        ]
    }
}
