import AssayCore
import AssayPrimitives

/// What must hold of an assertion, each check in a function of its own, in the order in which they run.
///
/// The steps are those of Apple, "Validating apps that connect to your server", section "Verify the assertion".
struct AssertionChecks {
    let evidence: AssertionEvidence
    let input: AssertionInput
    let keys: AssertionKeys
    let expectations: AppAttestExpectations

    private var configuration: AppAttestConfiguration { expectations.configuration }

    /// The key is the enrolled one, or, without a ledger, the supplied one; and the key identifier is its hash.
    func key() throws(CheckFailure) -> ECDSAPublicKey {
        let supplied = try keys.supplied.map { (key) throws(CheckFailure) in try AssertionChecks.parse(key.publicKey) }
        guard let enrolled = keys.enrolled else {
            guard let supplied else {
                throw CheckFailure(
                    "key-unknown",
                    "no key is enrolled under this key identifier: its attestation did not come before, or was rejected"
                )
            }
            guard keys.durability == .ephemeral else {
                throw CheckFailure(
                    "key-not-enrolled",
                    "the key came with the evidence and is not enrolled; it counts only without a ledger")
            }
            guard Digest.sha256(supplied.x963Representation) == input.keyID else {
                throw CheckFailure("key-id-differs", "the key identifier is not SHA-256 of the supplied key")
            }
            return supplied
        }
        guard enrolled.app == expectations.app else {
            throw CheckFailure("key-of-another-app", "the key is enrolled for app \(enrolled.app)")
        }
        // A key that a test authority certified must not outlive the policy that trusted that authority.
        let authority = keys.facts?.testAuthority
        guard authority == expectations.trust.testAuthority else {
            throw CheckFailure(
                "key-of-another-authority",
                "the key was enrolled under \(authority.map { "the test authority \($0)" } ?? "Apple's authority"), "
                    + "which this policy does not trust")
        }
        let key: ECDSAPublicKey
        if let parsed = keys.parsedKey { key = parsed } else { key = try AssertionChecks.parse(enrolled.publicKey) }
        guard supplied == nil || supplied == key else {
            throw CheckFailure("key-differs", "the key that came with the evidence is not the enrolled one")
        }
        return key
    }

    /// The public key of some bytes: a SubjectPublicKeyInfo in DER, or a 65-byte X9.63 point.
    static func parse(_ publicKey: [UInt8]) throws(CheckFailure) -> ECDSAPublicKey {
        do throws(DecodeError) {
            let parsed =
                publicKey.count == 65
                ? try ECDSAPublicKey(x963: publicKey, curve: .p256)
                : try ECDSAPublicKey(subjectPublicKeyInfo: publicKey[...])
            guard parsed.curve == .p256 else {
                throw DecodeError(.unexpectedValue, at: 0, "expected a P-256 key, found \(parsed.curve)")
            }
            return parsed
        } catch {
            throw CheckFailure("key-malformed", "the public key: \(error.detail)")
        }
    }

    /// Steps 1 to 3: the signature is over the nonce SHA-256(authenticatorData || clientDataHash) as a message.
    ///
    /// A high s is accepted: a third of genuine assertions have one, and the counter stops replays.
    func signature(_ key: ECDSAPublicKey?) throws(CheckFailure) {
        if case .hash(let hash) = input.clientData, hash.isEmpty {
            throw CheckFailure("client-data-hash-empty", "an empty client data hash binds nothing")
        }
        let nonce = Digest.sha256(evidence.authenticatorDataBytes, input.clientData.hash[...])
        guard let key, key.isValidSignature(der: evidence.signature, for: nonce[...], digest: .sha256) else {
            throw CheckFailure(
                "signature-invalid",
                "the key did not sign this authenticator data with this client data, or the signature is no strict DER")
        }
    }

    /// Step 4: the RP ID hash is SHA-256 of the App ID for which the key was enrolled, or of one of the policy's.
    func appID() throws(CheckFailure) -> String {
        guard let appID = expectations.appID(rpIDHash: evidence.authenticatorData.rpIDHash) else {
            throw SharedChecks.appIDNotAllowed(configuration.appIDs)
        }
        if let enrolled = keys.facts?.appID, enrolled != appID {
            throw CheckFailure("app-id-differs", "the assertion is for \(appID), the key was enrolled for \(enrolled)")
        }
        return appID
    }

    /// Step 6: the client data carries the challenge at the place that the policy names.
    func clientData(_ bound: BoundChallenge?) throws(CheckFailure) -> PolicyAnswer {
        let found: [UInt8]
        switch bound {
        case .notAsked, nil:
            guard input.challenge == nil else {
                throw CheckFailure(
                    "challenge-not-bound",
                    "the policy says clientData: none, so nothing binds the challenge that is given")
            }
            return .notAsked
        case .missing(let finding): throw CheckFailure(finding)
        case .found(let value): found = value
        }
        guard let expected = input.challenge else {
            guard configuration.challenge == .ledger else {
                throw CheckFailure(
                    "challenge-not-given", "the policy binds client data to a challenge, and none is given to compare")
            }
            return .holds
        }
        guard found == expected || BoundChallenge.decoded(found).contains(expected) else {
            throw CheckFailure("challenge-differs", "the challenge in the client data is not the one that is given")
        }
        return .holds
    }

    /// What an assertion must carry is what the key's attestation carried.
    var extensionSupport: SharedChecks.ExtensionSupport {
        guard let facts = keys.facts else {
            return .absent("the key came without its attestation, so nothing is known of its system")
        }
        return facts.hasExtensions
            ? .present
            : .absent("the key was enrolled on a system without the extensions, which came with iOS 27 and macOS 27")
    }

    /// No block is in force on the key, and its environment is still allowed.
    func keyState() throws(CheckFailure) -> PolicyAnswer {
        if let block = keys.blocks.first {
            throw CheckFailure("blocked", block.sentence)
        }
        if let name = keys.facts?.environmentName {
            guard let environment = keys.facts?.environment else {
                throw CheckFailure("environment-unknown", "the key was enrolled in environment \(name)")
            }
            try SharedChecks.environment(environment, in: configuration)
        }
        return .holds
    }
}
