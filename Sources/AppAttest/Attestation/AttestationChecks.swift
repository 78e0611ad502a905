import AssayCore
import AssayPrimitives
import FoundationEssentials

/// What must hold of an attestation, each check in a function of its own, in the order in which they run.
///
/// The steps are those of Apple, "Validating apps that connect to your server", section "Verify the attestation".
struct AttestationChecks {
    let evidence: AttestationEvidence
    let input: AttestationInput
    let expectations: AppAttestExpectations
    let now: Date

    private var configuration: AppAttestConfiguration { expectations.configuration }

    /// Step 1: x5c leads from the leaf over the intermediate to the App Attest root, all valid now.
    func chain() throws(CheckFailure) {
        let path = expectations.trust.attestation.validate(
            evidence.leaf, intermediates: [evidence.intermediate], at: now)
        switch path {
        case .failure(let failure): throw CheckFailure(failure)
        case .success(let path):
            // Nothing but the path looks at the intermediate: one that is not on it would be a place to hide bytes.
            guard path.chain.count == 3, path.chain[1] == evidence.intermediate else {
                throw CheckFailure("intermediate-not-in-path", "x5c[1] is not the certificate that issued x5c[0]")
            }
        }
    }

    /// Step 5, first half: the leaf's key is an uncompressed P-256 point, and the COSE key is the same.
    func publicKey() throws(CheckFailure) -> ECDSAPublicKey {
        let key: ECDSAPublicKey
        do {
            key = try evidence.leaf.publicKey()
        } catch {
            throw CheckFailure("attested-key-unusable", "expected an uncompressed P-256 key: \(error.detail)")
        }
        guard key.curve == .p256 else {
            throw CheckFailure("attested-key-unusable", "expected a P-256 key, found \(key.curve)")
        }
        guard key.x963Representation == evidence.credential.publicKey else {
            throw CheckFailure(
                "credential-key-differs",
                "the COSE key in the authenticator data is not the key of the attested certificate")
        }
        return key
    }

    /// Steps 2 to 4: the nonce in the leaf is SHA-256(authenticatorData || clientDataHash).
    func nonce() throws(CheckFailure) {
        let certified: ArraySlice<UInt8>
        do throws(DecodeError) {
            certified = try AttestedCertificate.nonce(of: evidence.leaf)
        } catch {
            throw CheckFailure("nonce-malformed", "extension 1.2.840.113635.100.8.2: \(error.detail)")
        }
        guard !input.clientData.isEmpty else {
            throw CheckFailure("challenge-empty", "an empty challenge or client data hash binds nothing")
        }
        let hash = input.clientData.hash
        guard certified.isByteEqual(to: Digest.sha256(evidence.authenticatorDataBytes, hash[...])) else {
            throw CheckFailure(
                "nonce-differs",
                "the certified nonce is not SHA-256(authenticatorData || clientDataHash) with the "
                    + "\(hash.count)-byte clientDataHash of this challenge")
        }
    }

    /// Step 5: SHA-256 of the key's X9.63 point is the key identifier.
    func keyID(_ key: ECDSAPublicKey?) throws(CheckFailure) {
        guard let key, Digest.sha256(key.x963Representation) == input.keyID else {
            let count = input.keyID.count
            throw CheckFailure(
                "key-id-differs",
                count == 32
                    ? "the key identifier is not SHA-256 of the attested key"
                    : "a key identifier has 32 bytes, found \(count)")
        }
    }

    /// Step 9: the credential ID is the key identifier.
    func credentialID() throws(CheckFailure) {
        guard evidence.credential.credentialID.isByteEqual(to: input.keyID) else {
            throw CheckFailure(
                "credential-id-differs", "the credential ID in the authenticator data is not the key identifier")
        }
    }

    /// Step 6: the RP ID hash is SHA-256 of one of the policy's App IDs.
    func appID() throws(CheckFailure) -> String {
        guard let appID = expectations.appID(rpIDHash: evidence.authenticatorData.rpIDHash) else {
            let allowed = configuration.appIDs
            throw SharedChecks.appIDNotAllowed(allowed)
        }
        return appID
    }

    /// Step 8: the AAGUID, all 16 bytes, is that of an allowed environment.
    func environment() throws(CheckFailure) -> AttestEnvironment {
        let aaguid = evidence.credential.aaguid
        guard let environment = AttestEnvironment.allCases.first(where: { aaguid.isByteEqual(to: $0.aaguid) }) else {
            throw CheckFailure(
                "environment-unknown",
                "the AAGUID \"\(String(decoding: aaguid, as: UTF8.self).escapingControls)\" is none of App Attest's")
        }
        try SharedChecks.environment(environment, in: configuration)
        return environment
    }

    /// Step 7: the counter is 0.
    func counter() throws(CheckFailure) {
        let counter = evidence.authenticatorData.counter
        guard counter == 0 else {
            throw CheckFailure("counter-not-zero", "a key that is attested has counter 0, found \(counter)")
        }
    }

    /// The receipt verifies, and is about this certificate, App ID and environment.
    func receipt() throws(CheckFailure) -> Receipt {
        guard let bytes = evidence.receipt else {
            throw CheckFailure("receipt-missing", "the attestation statement has no receipt")
        }
        let receipt = try Receipt.verified(bytes, trust: expectations.trust)
        guard receipt.type == .attest else {
            throw CheckFailure("receipt-type", "expected a receipt of type ATTEST, found \(receipt.type.rawValue)")
        }
        guard receipt.attestedCertificate.isByteEqual(to: evidence.leaf.der) else {
            throw CheckFailure("receipt-of-another-key", "field 3 of the receipt is not the attested certificate")
        }
        guard receipt.clientDataHash.map({ $0.isByteEqual(to: input.clientData.hash) }) ?? true else {
            throw CheckFailure(
                "receipt-of-another-challenge", "field 4 of the receipt is not the client data hash of the attestation")
        }
        guard evidence.authenticatorData.rpIDHash.isByteEqual(to: Digest.sha256(Array(receipt.appID.utf8))) else {
            throw CheckFailure(
                "receipt-of-another-app",
                "field 2 of the receipt is \(receipt.appID.excerpt(atMost: 255)), which is not the attestation's App ID"
            )
        }
        guard receipt.environment.map({ evidence.credential.aaguid.isByteEqual(to: $0.aaguid) }) ?? true else {
            throw CheckFailure(
                "receipt-of-another-environment",
                "field 7 of the receipt is not the environment of the attestation")
        }
        return receipt
    }

    /// The operating system is at least the policy's minimum for its platform.
    func osVersion(_ certificate: AttestedCertificate) throws(CheckFailure) -> PolicyAnswer {
        guard let minimum = configuration.minimumOSVersion else { return .notAsked }
        let platform = certificate.platform
        guard let lowest = minimum.any ?? platform.flatMap({ minimum.byPlatform[$0] }) else {
            throw CheckFailure(
                "platform-not-allowed",
                "minimumOSVersion names no version for \(platform?.rawValue ?? "a platform that is not certified")")
        }
        guard let text = certificate.osVersion else {
            throw CheckFailure(
                "os-version-missing", "the certificate does not say the OS version, at least \(lowest) is demanded")
        }
        guard let version = DottedVersion(text) else {
            throw CheckFailure("os-version-malformed", "OS version \"\(text)\" cannot be compared with \(lowest)")
        }
        guard version >= lowest else {
            throw CheckFailure("os-version-too-low", "OS version \(text), at least \(lowest) is demanded")
        }
        return .holds
    }

    /// On macOS, the access control list of the key is the documented one. Where the certificate names no platform, it is
    /// held to the same, unless it has no list.
    func platform(_ certificate: AttestedCertificate) throws(CheckFailure) -> PolicyAnswer {
        guard certificate.platform == .macOS || !certificate.namesPlatform else { return .holds }
        guard let list = certificate.accessControlList else {
            guard certificate.platform == .macOS else {
                return .notApplicable(
                    Finding("platform-unknown", "the certificate says neither platform nor access control list"))
            }
            throw CheckFailure("acl-missing", "on macOS the certificate must have extension 1.2.840.113635.100.8.6")
        }
        guard list.isByteEqual(to: AttestedCertificate.macOSAccessControlList) else {
            throw CheckFailure(
                "acl-differs", "the key's access control list is not the one that Apple documents for macOS")
        }
        return .holds
    }
}
