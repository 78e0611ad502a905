package import AssayTesting
package import FoundationEssentials

/// The Play Integrity test vectors.
package enum PlayIntegrityVectors: VectorSet {
    package static let name = "play-integrity"

    package static func drafts(seed: String, at time: Date) throws(MintingError) -> [VectorDraft] {
        let mint = IntegrityVectorMint(seed: seed, time: time)
        return try IntegrityVectorPolicies(mint).files + mint.unreadable() + [
            VectorDraft("classic-accept.json", mint.classicAccept),
            VectorDraft("classic-decode.json", mint.classicDecode),
            VectorDraft("classic-decryption.json", mint.classicDecryption),
            VectorDraft("classic-signature.json", mint.classicSignature),
            VectorDraft("classic-signature-form.json", mint.classicSignatureForm),
            VectorDraft("classic-payload-json.json", mint.classicPayloadJson),
            VectorDraft("classic-payload-schema.json", mint.classicPayloadSchema),
            VectorDraft("classic-request.json", mint.classicRequest),
            VectorDraft("classic-app.json", mint.classicApp),
            VectorDraft("classic-device.json", mint.classicDevice),
            VectorDraft("classic-keys.json", mint.keys("")),
            VectorDraft("scope/classic-keys.json", mint.keys("scope-")),
            VectorDraft("classic-sent-twice.json", mint.classicSentTwice),
            VectorDraft("ledger/classic-challenge.json", mint.ledgerClassicChallenge),
            VectorDraft("lenient/classic.json", mint.lenientClassic),
            VectorDraft("strict/classic-device.json", mint.strictClassicDevice),
            VectorDraft("strict/classic-environment.json", mint.strictClassicEnvironment),
            VectorDraft("standard-accept.json", mint.standardAccept),
            VectorDraft("standard-decode.json", mint.standardDecode),
            VectorDraft("standard-payload.json", mint.standardPayload),
            VectorDraft("standard-request.json", mint.standardRequest),
            VectorDraft("standard-policy.json", mint.standardPolicy),
            VectorDraft("strict/standard-policy.json", mint.strictStandardPolicy),
            VectorDraft("standard-replay.json", mint.replays(isPC: false)),
            VectorDraft("classic-answer.json", mint.answersToAppWithKeys),
            VectorDraft("google/classic-answer.json", mint.googleClassic),
            VectorDraft("requests/accept.json", mint.requestAccept),
            VectorDraft("requests/decode.json", mint.requestDecode),
            VectorDraft("requests/components.json", mint.requestComponents),
            VectorDraft("requests/freshness.json", mint.requestFreshness),
            VectorDraft("requests/content-digest.json", mint.requestDigests),
            VectorDraft("requests/token.json", mint.requestToken),
            VectorDraft("requests/replay.json", mint.requestReplay),
            VectorDraft("requests-nonce/nonce.json", mint.requestNonce),
            VectorDraft("pc/standard-accept.json", mint.pcStandardAccept),
            VectorDraft("pc/standard-decode.json", mint.pcStandardDecode),
            VectorDraft("pc/standard-request.json", mint.pcStandardRequest),
            VectorDraft("pc/standard-replay.json", mint.replays(isPC: true)),
        ]
    }
}
