package import AssayTesting
package import FoundationEssentials

/// The App Attest test vectors.
package enum AppAttestVectors: VectorSet {
    package static let name = "app-attest"

    package static func drafts(seed: String, at time: Date) throws(MintingError) -> [VectorDraft] {
        let mint = try AppAttestVectorMint(seed: seed, time: time)
        let root = VectorDraft("test-root.pem", text: mint.authority.rootPEM)
        return try AppAttestVectorPolicies.files + mint.unreadable() + mint.strictAttestations + [
            root,
            VectorDraft("attestation-accept.json", mint.attestationAccept),
            VectorDraft("development/attestation-accept.json", mint.developmentAttestationAccept),
            VectorDraft("attestation-decode-cbor.json", mint.attestationDecodeCbor),
            VectorDraft("attestation-decode-statement.json", mint.attestationDecodeStatement),
            VectorDraft("attestation-decode-authenticator-data.json", mint.attestationDecodeAuthenticatorData),
            VectorDraft("attestation-chain.json", mint.attestationChain()),
            VectorDraft("attestation-public-key.json", mint.attestationPublicKey),
            VectorDraft("attestation-nonce.json", mint.attestationNonce),
            VectorDraft("attestation-key-id.json", mint.attestationKeyId),
            VectorDraft("attestation-app.json", mint.attestationApp),
            VectorDraft("attestation-platform.json", mint.attestationPlatform),
            VectorDraft("strict/attestation-receipt-accept.json", mint.strictAttestationReceiptAccept()),
            VectorDraft("strict/attestation-receipt.json", mint.strictAttestationReceipt()),
            VectorDraft("assertion-accept.json", mint.assertionAccept),
            VectorDraft("assertion-decode.json", mint.assertionDecode()),
            VectorDraft("assertion-counter.json", mint.assertionCounter),
            VectorDraft("assertion-signature.json", mint.assertionSignature),
            VectorDraft("successor/assertion-counter.json", mint.successorAssertionCounter),
            VectorDraft("strict/assertion-client-data.json", mint.strictAssertionClientData),
            VectorDraft("strict/assertion-extensions.json", mint.strictAssertionExtensions),
            VectorDraft("enrolment.json", mint.enrolment()),
            VectorDraft("assertion-sequence.json", mint.assertionSequence()),
            VectorDraft("ledger/challenge.json", mint.ledgerChallenge()),
            VectorDraft("window/sequence.json", mint.windowSequence()),
            VectorDraft("accounts/sequence.json", mint.accountSequence()),
            VectorDraft("requests/accept.json", mint.requestAccept),
            VectorDraft("requests/decode.json", mint.requestDecode),
            VectorDraft("requests/components.json", mint.requestComponents),
            VectorDraft("requests/freshness.json", mint.requestFreshness),
            VectorDraft("requests/content-digest.json", mint.requestDigests),
            VectorDraft("requests/assertion.json", mint.requestAssertion),
            VectorDraft("requests/sequence.json", mint.requestSequence()),
            VectorDraft("requests-nonce/nonce.json", mint.requestNonce),
        ]
    }
}
