package import AssayTesting
package import FoundationEssentials

/// The test vectors of Android Key Attestation.
package enum AndroidKeyVectors: VectorSet {
    package static let name = "android-key"

    package static func drafts(seed: String, at time: Date) throws(MintingError) -> [VectorDraft] {
        let mint = try AndroidKeyVectorMint(seed: seed, time: time)
        return try AndroidKeyVectorPolicies.files + mint.unreadable() + [
            VectorDraft("test-roots.pem", text: mint.authority.rootPEM),
            VectorDraft("revocation/status-list.txt", text: mint.statusList()),
            VectorDraft("attestation-accept.json", mint.accepted),
            VectorDraft("attestation-decode.json", mint.decode),
            VectorDraft("attestation-chain.json", mint.chain()),
            VectorDraft("attestation-target.json", mint.target),
            VectorDraft("attestation-extension.json", mint.extensionFields),
            VectorDraft("attestation-authorizations.json", mint.authorizations),
            VectorDraft("attestation-public-key.json", mint.publicKey),
            VectorDraft("attestation-binding.json", mint.binding),
            VectorDraft("attestation-device.json", mint.device),
            VectorDraft("attestation-application.json", mint.application),
            VectorDraft("attestation-key.json", mint.keyProperties),
            VectorDraft("attestation-provisioning.json", mint.provisioning),
            VectorDraft("strict/attestation-accept.json", mint.strictAccepted),
            VectorDraft("strict/attestation-device.json", mint.strictDevice),
            VectorDraft("strict/attestation-key.json", mint.strictKey),
            VectorDraft("strict/attestation-consistency.json", mint.strictConsistency),
            VectorDraft("revocation/attestation.json", mint.revocation),
            VectorDraft("enrolment.json", mint.enrolment()),
            VectorDraft("ledger/challenge.json", mint.ledgerChallenge()),
            VectorDraft("accounts/sequence.json", mint.accountSequence()),
            VectorDraft("requests/accept.json", mint.requestAccept),
            VectorDraft("requests/decode.json", mint.requestDecode),
            VectorDraft("requests/components.json", mint.requestComponents),
            VectorDraft("requests/freshness.json", mint.requestFreshness),
            VectorDraft("requests/content-digest.json", mint.requestDigests),
            VectorDraft("requests/key.json", mint.requestKey()),
            VectorDraft("requests/signature.json", mint.requestSignature),
            VectorDraft("requests/sequence.json", mint.requestSequence()),
            VectorDraft("requests-nonce/nonce.json", mint.requestNonce),
            VectorDraft("requests-age/sequence.json", mint.requestAge()),
            VectorDraft("requests-accounts/sequence.json", mint.requestAccounts()),
        ]
    }
}
