public import AssayCore

extension EvidenceKind {
    /// An assertion by an attested App Attest key.
    public static let appAttestAssertion = EvidenceKind("app-attest.assertion")
}

/// The checks of an App Attest assertion: their names, catalogue entries, rules and codes. The steps are those of
/// Apple, "Validating apps that connect to your server", section "Verify the assertion".
package struct AssertionCheck: Sendable {
    /// The entries of all checks, in the order in which they run.
    package static let catalogue: [CheckDefinition] = [
        decodeEntry, keyEntry, signatureEntry, appIDEntry, clientDataEntry,
        .validationCategory(.appAttestAssertionValidationCategory),
        .bundleVersion(.appAttestAssertionBundleVersion), keyStateEntry, riskMetricEntry, accountEntry, challengeEntry,
        counterEntry,
    ]

    static let apple = "Apple, Validating apps that connect to your server, Verify the assertion"

    let evidence: AssertionEvidence
    let input: AssertionInput
    let frame: AssertionFrame
    let keys: AssertionKeys
    let expectations: AppAttestExpectations

    var configuration: AppAttestConfiguration { expectations.configuration }

    /// The challenge that the client data carries.
    var boundChallenge: BoundChallenge { frame.nonce ?? BoundChallenge(input, configuration.clientData) }
}

extension CheckID {
    /// The key is known.
    public static let appAttestAssertionKey = CheckID("app-attest.assertion.key")
    /// Steps 1 to 3: the key signed the authenticator data and the client data.
    public static let appAttestAssertionSignature = CheckID("app-attest.assertion.signature")
    /// Step 4: the authenticator data is for the App ID of the key.
    public static let appAttestAssertionAppID = CheckID("app-attest.assertion.app-id")
    /// Step 6: the client data carries the challenge.
    public static let appAttestAssertionClientData = CheckID("app-attest.assertion.client-data")
    /// How the app was installed, since iOS 27.
    public static let appAttestAssertionValidationCategory = CheckID("app-attest.assertion.validation-category")
    /// The app's build, since iOS 27.
    public static let appAttestAssertionBundleVersion = CheckID("app-attest.assertion.bundle-version")
    /// The key may still be used.
    public static let appAttestAssertionKeyState = CheckID("app-attest.assertion.key-state")
    /// The challenge was issued and is used once.
    public static let appAttestAssertionChallenge = CheckID("app-attest.assertion.challenge")
    /// Step 5: the counter increases.
    public static let appAttestAssertionCounter = CheckID("app-attest.assertion.counter")
}

extension AssertionCheck {
    private static let keyEntry = CheckDefinition(
        .appAttestAssertionKey, .gate,
        proves: "The key identifier names a key that was enrolled for this app, or the one that came with the record.",
        stops: "Assertions by keys that were never attested, and by keys of another app.",
        lookAt: """
            Whether the attestation was verified against the same ledger and for the same app, and accepted. Where a \
            policy rejects the attestation of a key, every assertion of that key fails here.
            """,
        source: apple,
        remedy: .newAttestation,
        codes: [
            .keyUnknown, .appAttestKeyNotEnrolled, .keyIDDiffers, .keyOfAnotherApp, .keyOfAnotherAuthority, .keyDiffers,
            .keyMalformed, .keySupplied,
        ])

    /// The remark on a key that came with the evidence.
    static var keySupplied: Finding {
        Finding(.keySupplied, "the key came with the evidence; nothing shows that it was ever attested")
    }

    /// Returns the enrolled key or, without a ledger, the supplied one. SHA-256 of the key must be the key identifier.
    func key() throws(CheckFailure) -> ECDSAPublicKey {
        let supplied = try keys.supplied.map { (key) throws(CheckFailure) in try AssertionCheck.decodeKey(key.publicKey)
        }
        guard let enrolled = keys.enrolled else {
            guard let supplied else {
                throw CheckFailure(
                    .keyUnknown,
                    "no key is enrolled under this key identifier: its attestation did not come before, or was rejected"
                )
            }
            guard keys.durability == .ephemeral else {
                throw CheckFailure(
                    .appAttestKeyNotEnrolled,
                    "the key came with the evidence and is not enrolled; it counts only without a ledger")
            }
            guard Digest.sha256(supplied.x963Representation) == input.keyID else {
                let identifier = Base64.encode(Digest.sha256(supplied.x963Representation), .standard)
                throw CheckFailure(
                    .keyIDDiffers, "the key identifier is not SHA-256 of the supplied key, whose is \(identifier)")
            }
            return supplied
        }
        guard enrolled.app.isByteEqual(to: expectations.app) else {
            throw CheckFailure(.keyOfAnotherApp, "the key is enrolled for app \(enrolled.app)")
        }
        // A key that a test authority certified must not outlive the policy that trusts this authority.
        let authority = keys.facts?.testAuthority
        guard authority == expectations.trust.testAuthority else {
            throw CheckFailure(
                .keyOfAnotherAuthority,
                "the key was enrolled under \(authority.map { "the test authority \($0)" } ?? "Apple's authority"), "
                    + "which this policy does not trust")
        }
        let key: ECDSAPublicKey
        if let parsed = keys.parsedKey { key = parsed } else { key = try AssertionCheck.decodeKey(enrolled.publicKey) }
        guard supplied == nil || supplied == key else {
            throw CheckFailure(.keyDiffers, "the key that came with the evidence is not the enrolled one")
        }
        return key
    }

    /// Parses a public key: SubjectPublicKeyInfo in DER, or a 65-byte X9.63 point.
    static func decodeKey(_ publicKey: [UInt8]) throws(CheckFailure) -> ECDSAPublicKey {
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
            throw CheckFailure(.keyMalformed, "the public key: \(error.detail)")
        }
    }

    private static let signatureEntry = CheckDefinition(
        .appAttestAssertionSignature, .gate,
        proves: "The attested key signed SHA-256(authenticatorData || clientDataHash) as a message.",
        stops: "Requests that the device did not make, and changes to one that it made.",
        lookAt: "The exact bytes that the app signs: clientData as it was sent, before any parsing or re-encoding.",
        source: "\(apple), steps 1 to 3",
        remedy: .retry, codes: [.clientDataHashEmpty, .assertionSignatureInvalid])

    /// Steps 1 to 3: the signature is over the nonce SHA-256(authenticatorData || clientDataHash) as a message. A high
    /// s is allowed: a third of genuine assertions have one, and the counter stops replays.
    func signature(_ key: ECDSAPublicKey?) throws(CheckFailure) {
        if case .hash(let hash) = input.clientData, hash.isEmpty {
            throw CheckFailure(.clientDataHashEmpty, "an empty client data hash binds nothing")
        }
        let nonce = Digest.sha256(evidence.authenticatorDataBytes, input.clientData.hash[...])
        guard let key, key.isValidSignature(der: evidence.signature, for: nonce[...], digest: .sha256) else {
            throw CheckFailure(
                .assertionSignatureInvalid,
                "the key did not sign this authenticator data with this client data, or the signature is no strict DER")
        }
    }

    private static let appIDEntry = CheckDefinition(
        .appAttestAssertionAppID, .gate,
        proves: "The authenticator data is for the App ID for which the key was enrolled.",
        stops: "Assertions of another app of the same device.",
        lookAt: "appIDs in the policy; whether the app moved to another team.",
        source: "\(apple), step 4",
        remedy: .updateApp, codes: [.appIDNotAllowed, .appIDDiffers])

    /// Step 4: the RP ID hash is SHA-256 of one of the policy's App IDs, and this is the App ID that the key was
    /// enrolled for.
    func appID() throws(CheckFailure) -> String {
        guard let appID = expectations.appID(rpIDHash: evidence.authenticatorData.rpIDHash) else {
            throw SharedRules.appIDNotAllowed(configuration.appIDs)
        }
        if let enrolled = keys.facts?.appID, enrolled != appID {
            throw CheckFailure(.appIDDiffers, "the assertion is for \(appID), the key was enrolled for \(enrolled)")
        }
        return appID
    }

    private static let clientDataEntry = CheckDefinition(
        .appAttestAssertionClientData, .policy(default: .enforce),
        proves: "The signed client data carries the challenge, at the place that the policy names.",
        stops: "Replay of a signed request under another challenge.",
        lookAt: "clientData in the policy: raw, none, or the JSON pointer of the challenge.",
        source: "\(apple), step 6",
        remedy: .newChallenge,
        codes: BoundChallenge.codes + [.challengeNotBound, .challengeNotGiven, .challengeDiffers])

    func clientData(_ bound: BoundChallenge?) throws(CheckFailure) -> PolicyAnswer {
        let found: [UInt8]
        switch bound {
        case .notRequired, nil:
            guard input.challenge == nil else {
                throw CheckFailure(
                    .challengeNotBound,
                    "the policy says clientData: none, so nothing binds the challenge that is given")
            }
            return .notRequired
        case .missing(let finding): throw CheckFailure(finding)
        case .found(let value): found = value
        }
        guard let expected = input.challenge else {
            guard frame.challenge == .ledger else {
                throw CheckFailure(
                    .challengeNotGiven, "the policy binds client data to a challenge, and none is given to compare")
            }
            return .passed
        }
        guard found == expected || BoundChallenge.decoded(found).contains(expected) else {
            throw CheckFailure(.challengeDiffers, "the challenge in the client data is not the one that is given")
        }
        return .passed
    }

    // MARK: validation-category and bundle-version: see SharedRules

    /// An assertion must carry the extensions that the key's attestation carried.
    var extensionSupport: SharedRules.ExtensionSupport {
        guard let facts = keys.facts else {
            return .absent("the key came without its attestation, so its system is unknown")
        }
        return facts.hasExtensions
            ? .present
            : .absent("the key was enrolled on a system without the extensions, which came with iOS 27 and macOS 27")
    }

    private static let keyStateEntry = CheckDefinition(
        .appAttestAssertionKeyState, .policy(default: .enforce),
        proves: "The key is not blocked, and the policy still allows the environment that it was enrolled in.",
        stops: "Further use of keys that were found to be abused.",
        lookAt: "`assay ledger show` for the key.",
        source: "Apple, Assessing fraud risk",
        remedy: .contactSupport, codes: [.blocked, .environmentUnknown, .environmentNotAllowed])

    func keyState() throws(CheckFailure) -> PolicyAnswer {
        if let block = keys.blocks.first {
            throw CheckFailure(.blocked, block)
        }
        if let name = keys.facts?.environmentName {
            guard let environment = keys.facts?.environment else {
                throw CheckFailure(.environmentUnknown, "the key was enrolled in environment \(name)")
            }
            try SharedRules.environment(environment, in: configuration)
        }
        return .passed
    }

    // MARK: challenge and counter: decided by the ledger

    private static let challengeEntry = CheckDefinition.challenge(
        .appAttestAssertionChallenge, stops: "Replay of a recorded request.", source: "\(apple), step 6",
        codes: BoundChallenge.codes)

    private static let counterEntry = CheckDefinition(
        .appAttestAssertionCounter, .ledger,
        proves: """
            The counter is greater than every one before it; or, when the policy says so, its direct successor, or one of \
            a window that was not accepted before.
            """, stops: "Replay of a recorded request, and use of a copied key.",
        lookAt: """
            The two counters in the detail. Requests of one device that overtake each other on the way have to be sent \
            one after the other, or the policy allows a window: counter: window(64).
            """,
        source: "\(apple), step 5",
        remedy: .retry, codes: CheckCode.ofCounter)
}

extension CheckCode {
    /// The ledger does not have the key: the app attests one.
    public static let appAttestKeyNotEnrolled = CheckCode(
        "key-not-enrolled",
        "The key came with the evidence, and with a ledger only enrolled keys count: verify its attestation first.")
    fileprivate static let keyOfAnotherAuthority = CheckCode(
        "key-of-another-authority",
        "The key was attested under a test authority that the policy does not trust, or under Apple's in a test.")
    fileprivate static let keyMalformed = CheckCode(
        "key-malformed", "The public key is neither a P-256 SubjectPublicKeyInfo nor a 65-byte X9.63 point.",
        remedy: .contactSupport)
    fileprivate static let keySupplied = CheckCode(
        "key-supplied",
        "The key came with the evidence, so that nothing shows that it was ever attested: for tests only.")
    fileprivate static let clientDataHashEmpty = CheckCode(
        "client-data-hash-empty", "The client data hash is empty and binds nothing: send the one that the app signed.",
        remedy: .nothing)
    fileprivate static let assertionSignatureInvalid = CheckCode(
        "signature-invalid",
        "The key did not sign this client data: the request was changed, or the server hashes other bytes than the app."
    )
    fileprivate static let challengeNotBound = CheckCode(
        "challenge-not-bound",
        "A challenge is given and the policy says `clientData: none`, so that nothing binds it: name its place.")
    fileprivate static let challengeNotGiven = CheckCode(
        "challenge-not-given", "The policy has the caller compare challenges, and the evidence names none to compare.")
    fileprivate static let challengeDiffers = CheckCode(
        "challenge-differs",
        "The app signed another challenge than the given one: a replay, or a second encoding of it.")
}
