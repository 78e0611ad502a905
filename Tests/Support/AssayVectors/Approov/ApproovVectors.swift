package import AssayTesting
package import FoundationEssentials

/// The Approov test vectors.
package enum ApproovVectors: VectorSet {
    package static let name = "approov"

    package static func drafts(seed: String, at time: Date) throws(MintingError) -> [VectorDraft] {
        let mint = try ApproovVectorMint(seed: seed, time: time)
        return try ApproovVectorPolicies(mint).files + mint.unreadable() + [
            VectorDraft("token-accept.json", mint.tokenAccept),
            VectorDraft("scope/token-accept.json", mint.scopeTokenAccept),
            VectorDraft("token-decode.json", mint.tokenDecode),
            VectorDraft("token-key.json", mint.tokenKey),
            VectorDraft("token-key-windows.json", mint.tokenKeyWindows),
            VectorDraft("scope/token-key.json", mint.scopeTokenKey),
            VectorDraft("token-signature.json", mint.tokenSignature),
            VectorDraft("token-decryption.json", mint.tokenDecryption),
            VectorDraft("token-claims.json", mint.tokenClaims),
            VectorDraft("token-expiry.json", mint.tokenExpiry),
            VectorDraft("token-binding.json", mint.tokenBinding),
            VectorDraft("token-policy.json", mint.tokenPolicy),
            VectorDraft("token-loggable.json", mint.tokenLoggable),
            VectorDraft("message-accept.json", mint.messageAccept),
            VectorDraft("message-quirks.json", mint.messageQuirks),
            VectorDraft("message-decode.json", mint.messageDecode),
            VectorDraft("message-token.json", mint.messageToken),
            VectorDraft("message-key.json", mint.messageKey),
            VectorDraft("message-components.json", mint.messageComponents),
            VectorDraft("message-signature.json", mint.messageSignature),
            VectorDraft("message-freshness.json", mint.messageFreshness),
            VectorDraft("message-content-digest.json", mint.messageContentDigest),
            VectorDraft("message-replay.json", mint.messageReplay()),
            VectorDraft("message-often.json", mint.messageOften()),
            VectorDraft("text-accept.json", mint.textAccept),
            VectorDraft("text-reject.json", mint.textReject),
            VectorDraft("text-replay.json", mint.textReplay()),
            VectorDraft("proof.json", mint.proofs),
            VectorDraft("proof-sealed.json", mint.sealedProofs),
            VectorDraft("proof-policy.json", mint.proofPolicy),
        ]
    }
}
