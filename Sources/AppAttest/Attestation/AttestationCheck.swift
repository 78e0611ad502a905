public import AssayCore
import FoundationEssentials

extension EvidenceKind {
    /// An attestation of an App Attest key.
    public static let appAttestAttestation = EvidenceKind("app-attest.attestation")
}

/// The checks of an App Attest attestation: their names, catalogue entries, rules and codes. The steps are those of
/// Apple, "Validating apps that connect to your server", section "Verify the attestation".
package struct AttestationCheck: Sendable {
    /// The entries of all checks, in the order in which they run.
    package static let catalogue: [CheckDefinition] =
        [
            decodeEntry, chainEntry, publicKeyEntry, nonceEntry, keyIDEntry, credentialIDEntry, appIDEntry,
            environmentEntry, counterEntry,
        ] + policyCatalogue + [challengeEntry, enrolmentEntry]

    static let apple = "Apple, Validating apps that connect to your server, Verify the attestation"

    let evidence: AttestationEvidence
    let input: AttestationInput
    let expectations: AppAttestExpectations
    let now: Date

    var configuration: AppAttestConfiguration { expectations.configuration }
}

extension CheckID {
    /// Step 1: the certificates lead to Apple's App Attest root.
    public static let appAttestAttestationChain = CheckID("app-attest.attestation.chain")
    /// Step 5, first half, and the credential key: the attested key is a P-256 key, and the same in both
    /// places.
    public static let appAttestAttestationPublicKey = CheckID("app-attest.attestation.public-key")
    /// Steps 2 to 4: the leaf's nonce covers authenticator data and client data.
    public static let appAttestAttestationNonce = CheckID("app-attest.attestation.nonce")
    /// Step 5: the key identifier is the hash of the attested key.
    public static let appAttestAttestationKeyID = CheckID("app-attest.attestation.key-id")
    /// Step 9: the credential ID is the key identifier.
    public static let appAttestAttestationCredentialID = CheckID("app-attest.attestation.credential-id")
    /// Step 6: the authenticator data is for one of the policy's App IDs.
    public static let appAttestAttestationAppID = CheckID("app-attest.attestation.app-id")
    /// Step 8: the AAGUID names an environment that the policy allows.
    public static let appAttestAttestationEnvironment = CheckID("app-attest.attestation.environment")
    /// Step 7: the counter is 0.
    public static let appAttestAttestationCounter = CheckID("app-attest.attestation.counter")
}

extension AttestationCheck {
    private static let chainEntry = CheckDefinition(
        .appAttestAttestationChain, .gate,
        proves: "Apple's App Attest authority issued the leaf, and it was valid at the time of judgement.",
        stops: """
            Certificates of the attacker's own, or of another Apple authority, and keys whose certificate has expired.
            """,
        lookAt: """
            The time of judgement first: leaves live for three days to a year, so captured evidence is judged at the \
            time of its receipt (--as-captured). Then the issuer that the detail names.
            """,
        source: "\(apple), step 1; RFC 5280 section 6",
        remedy: .nothing, codes: CheckCode.ofPath + [.intermediateNotInPath])

    /// Step 1: x5c leads from the leaf through the intermediate to the App Attest root, all valid now.
    func chain() throws(CheckFailure) {
        let path = expectations.trust.attestation.validate(
            evidence.leaf, intermediates: [evidence.intermediate], at: now)
        switch path {
        case .failure(let failure): throw CheckFailure(failure)
        case .success(let path):
            // An intermediate outside the path is never verified: it could hide arbitrary bytes.
            guard path.chain.count == 3, path.chain[1] == evidence.intermediate else {
                throw CheckFailure(.intermediateNotInPath, "x5c[1] is not the certificate that issued x5c[0]")
            }
        }
    }

    private static let publicKeyEntry = CheckDefinition(
        .appAttestAttestationPublicKey, .gate,
        proves: "The attested key is an uncompressed P-256 key, and the authenticator data has the same key.",
        stops: "An attested certificate with the credential key of another device.",
        lookAt: "Whether the object was assembled from two attestations.",
        source: "\(apple), step 5; Web Authentication Level 2, section 8.8",
        remedy: .nothing, codes: [.attestedKeyUnusable, .credentialKeyDiffers])

    /// Step 5, first half: the leaf's key is an uncompressed P-256 point, and the COSE key is the same.
    func publicKey() throws(CheckFailure) -> ECDSAPublicKey {
        let key: ECDSAPublicKey
        do {
            key = try evidence.leaf.publicKey()
        } catch {
            throw CheckFailure(.attestedKeyUnusable, "expected an uncompressed P-256 key: \(error.detail)")
        }
        guard key.curve == .p256 else {
            throw CheckFailure(.attestedKeyUnusable, "expected a P-256 key, found \(key.curve)")
        }
        guard key.x963Representation == evidence.credential.publicKey else {
            throw CheckFailure(
                .credentialKeyDiffers,
                "the COSE key in the authenticator data is not the key of the attested certificate")
        }
        return key
    }

    private static let nonceEntry = CheckDefinition(
        .appAttestAttestationNonce, .gate,
        proves: """
            The leaf certifies exactly this authenticator data and this challenge: its extension \
            1.2.840.113635.100.8.2 is SHA-256(authenticatorData || clientDataHash).
            """,
        stops: "Replay of a genuine attestation for another challenge, and changes to the authenticator data.",
        lookAt: """
            The exact bytes that the app hashes. Apps pass SHA-256 of the challenge as clientDataHash; give the \
            challenge itself as `challenge`, or what the app passed as `clientDataHash`. Text and decoded bytes of a \
            base64 challenge are two different challenges.
            """,
        source: "\(apple), steps 2 to 4",
        remedy: .nothing, codes: [.certifiedNonceMalformed, .challengeEmpty, .certifiedNonceDiffers])

    /// Steps 2 to 4: the nonce in the leaf is SHA-256(authenticatorData || clientDataHash).
    func nonce() throws(CheckFailure) {
        let certified: ArraySlice<UInt8>
        do throws(DecodeError) {
            certified = try AttestedCertificate.nonce(of: evidence.leaf)
        } catch {
            throw CheckFailure(.certifiedNonceMalformed, "extension 1.2.840.113635.100.8.2: \(error.detail)")
        }
        guard !input.clientData.isEmpty else {
            throw CheckFailure(.challengeEmpty, "an empty challenge or client data hash binds nothing")
        }
        let hash = input.clientData.hash
        guard certified.isByteEqual(to: Digest.sha256(evidence.authenticatorDataBytes, hash[...])) else {
            throw CheckFailure(
                .certifiedNonceDiffers,
                "the certified nonce is not SHA-256(authenticatorData || clientDataHash) with the "
                    + "\(hash.count)-byte clientDataHash of this challenge")
        }
    }

    private static let keyIDEntry = CheckDefinition(
        .appAttestAttestationKeyID, .gate,
        proves: "The key identifier that the app sent is SHA-256 of the attested key's X9.63 point.",
        stops: "Enrolment of a genuine key under the identifier of another key.",
        lookAt: "The encoding of keyId: standard base64 of 32 bytes.",
        source: "\(apple), step 5",
        remedy: .newAttestation, codes: [.keyIDDiffers])

    func keyID(_ key: ECDSAPublicKey?) throws(CheckFailure) {
        guard let key, Digest.sha256(key.x963Representation) == input.keyID else {
            let count = input.keyID.count
            let attested = key.map { Base64.encode(Digest.sha256($0.x963Representation), .standard) } ?? "unknown"
            throw CheckFailure(
                .keyIDDiffers,
                count == 32
                    ? "the key identifier is not SHA-256 of the attested key, whose is \(attested)"
                    : "a key identifier has 32 bytes, found \(count)")
        }
    }

    private static let credentialIDEntry = CheckDefinition(
        .appAttestAttestationCredentialID, .gate,
        proves: "The credential ID in the authenticator data is the key identifier.",
        stops: "Authenticator data of another key.",
        lookAt: "Whether keyId and attestation belong together.",
        source: "\(apple), step 9",
        remedy: .nothing, codes: [.credentialIDDiffers])

    func credentialID() throws(CheckFailure) {
        guard evidence.credential.credentialID.isByteEqual(to: input.keyID) else {
            throw CheckFailure(
                .credentialIDDiffers, "the credential ID in the authenticator data is not the key identifier")
        }
    }

    private static let appIDEntry = CheckDefinition(
        .appAttestAttestationAppID, .gate,
        proves: "The authenticator data is for one of the policy's App IDs.",
        stops: "Genuine attestations made by another app, including one of the attacker's own.",
        lookAt: """
            appIDs in the policy: team identifier or App ID prefix, a period, bundle identifier. App Clips have the \
            full app's.
            """,
        source: "\(apple), step 6",
        remedy: .updateApp, codes: [.appIDNotAllowed])

    /// Step 6: the RP ID hash is SHA-256 of one of the policy's App IDs.
    func appID() throws(CheckFailure) -> String {
        guard let appID = expectations.appID(rpIDHash: evidence.authenticatorData.rpIDHash) else {
            throw SharedRules.appIDNotAllowed(
                configuration.appIDs, certified: AttestedCertificate(evidence.leaf).appID)
        }
        return appID
    }

    private static let environmentEntry = CheckDefinition(
        .appAttestAttestationEnvironment, .gate,
        proves: "All 16 bytes of the AAGUID name an environment that the policy allows.",
        stops: "Development builds in production: any developer account can sign and debug them.",
        lookAt: """
            The app's entitlement com.apple.developer.devicecheck.appattest-environment, and environments in the \
            policy. TestFlight and App Store builds are always production.
            """,
        source: "\(apple), step 8",
        remedy: .updateApp, codes: [.environmentUnknown, .environmentNotAllowed])

    func environment() throws(CheckFailure) -> AttestEnvironment {
        let aaguid = evidence.credential.aaguid
        guard let environment = AttestEnvironment.allCases.first(where: { aaguid.isByteEqual(to: $0.aaguid) }) else {
            throw CheckFailure(
                .environmentUnknown,
                "the AAGUID \"\(String(decoding: aaguid, as: UTF8.self).escapingControls)\" is none of App Attest's")
        }
        try SharedRules.environment(environment, in: configuration)
        return environment
    }

    private static let counterEntry = CheckDefinition(
        .appAttestAttestationCounter, .gate,
        proves: "The key has not signed anything yet.",
        stops: "Enrolment of a key that was in use elsewhere.",
        lookAt: "Whether the object is really an attestation.",
        source: "\(apple), step 7",
        remedy: .newAttestation, codes: [.counterNotZero])

    func counter() throws(CheckFailure) {
        let counter = evidence.authenticatorData.counter
        guard counter == 0 else {
            throw CheckFailure(.counterNotZero, "a key that is attested has counter 0, found \(counter)")
        }
    }
}

extension CheckCode {
    fileprivate static let intermediateNotInPath = CheckCode(
        "intermediate-not-in-path",
        "The second certificate of x5c did not issue the first: the attestation was reassembled after the device made it."
    )
    fileprivate static let attestedKeyUnusable = CheckCode(
        "attested-key-unusable", "The leaf certifies something other than an uncompressed P-256 key.")
    fileprivate static let credentialKeyDiffers = CheckCode(
        "credential-key-differs", "Certificate and authenticator data have different keys: parts of two attestations.")
    fileprivate static let certifiedNonceMalformed = CheckCode(
        "nonce-malformed", "The leaf has no nonce extension of 32 bytes: it is no App Attest certificate.")
    fileprivate static let challengeEmpty = CheckCode(
        "challenge-empty",
        "The challenge or client data hash is empty and binds nothing: send the one that the app used.",
        remedy: .newChallenge)
    fileprivate static let certifiedNonceDiffers = CheckCode(
        "nonce-differs",
        "The attestation was made for another challenge, or its authenticator data was changed: compare what the app hashes.",
        remedy: .newChallenge
    )
    fileprivate static let credentialIDDiffers = CheckCode(
        "credential-id-differs", "The authenticator data is of another key than the key identifier names.")
    fileprivate static let counterNotZero = CheckCode(
        "counter-not-zero", "The counter is not 0: the key was used before, or the object is no attestation.")
}
