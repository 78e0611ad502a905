public import AssayCore
import FoundationEssentials

/// The checks of a request's key: their names, catalogue entries, rules and codes.
package struct AndroidKeyRequestCheck {
    /// The entries, in the order in which the checks run.
    package static let catalogue: [CheckDefinition] = [
        keyEntry, signatureEntry, keyStateEntry, accountEntry, challengeEntry, replayEntry,
    ]

    let signed: AndroidKeyRequest.Signed
    let keys: AndroidRequestKeys
    let expectations: AndroidKeyExpectations
    let now: Date

    var configuration: AndroidKeyConfiguration { expectations.configuration }
}

extension CheckID {
    /// The key is known, and signs with the algorithm that the request names.
    public static let androidKeyRequestKey = CheckID("android-key.request.key")
    /// The key signed the signature base.
    public static let androidKeyRequestSignature = CheckID("android-key.request.signature")
}

extension AndroidKeyRequestCheck {
    /// A key that can sign requests, with its SubjectPublicKeyInfo.
    struct SigningKey {
        let info: [UInt8]
        let key: AttestedKey
    }

    private static let keyEntry = CheckDefinition(
        .androidKeyRequestKey, .gate,
        proves: """
            `keyid` names a key that was enrolled for this app and is neither blocked nor retired, or the one that came with \
            the record, and `alg` is the algorithm of that key.
            """,
        stops:
            "Requests of keys that were never attested, of another app's and of abused ones; a choice of the algorithm by an attacker.",
        lookAt: """
            Whether the key's attestation was verified against the same ledger and for the same app, and accepted: the \
            identifier is SHA-256 of the SubjectPublicKeyInfo. `assay ledger show` shows the key and its block.
            """,
        source: "RFC 9421 section 3.2, step 6", remedy: .newAttestation,
        codes: [
            .keyUnknown, .androidKeyNotEnrolled, .keyIDDiffers, .keyRetired, .keyOfAnotherApp, .keyOfAnotherAuthority,
            .keyDiffers, .keyUnusable, .keyUnsupported, .keyCannotSign, .algorithmDiffers, .keySupplied, .blocked,
        ])

    /// The remark on a key that came with the evidence.
    static var keySupplied: Finding {
        Finding(.keySupplied, "the key came with the evidence; nothing shows that it was ever attested")
    }

    /// Returns the enrolled key or, without a ledger, the supplied one.
    func key() throws(CheckFailure) -> SigningKey {
        let key = try knownKey()
        let algorithm: AndroidKeyRequest.Algorithm
        switch key.key {
        case .ecdsa(let point) where point.curve == .p256: algorithm = .ecdsaP256
        case .rsa: algorithm = .rsa
        case .ecdsa, .p521:
            throw CheckFailure(
                .keyCannotSign,
                "the key is an \(key.key.description) key, and requests are signed by P-256 and RSA keys only")
        }
        guard signed.part.algorithm == algorithm else {
            throw CheckFailure(
                .algorithmDiffers,
                "the key is an \(key.key.description) key, which signs with \(algorithm.rawValue); alg is "
                    + signed.part.algorithm.rawValue)
        }
        return key
    }

    private func knownKey() throws(CheckFailure) -> SigningKey {
        // Here and not among the policy checks: no mode of a check lifts an operator's block.
        if let block = keys.block { throw CheckFailure(.blocked, block) }
        guard let enrolled = keys.enrolled else {
            guard let supplied = keys.supplied else {
                throw CheckFailure(
                    .keyUnknown,
                    "no key is enrolled under this key identifier: its attestation did not come before, or was rejected"
                )
            }
            guard keys.durability == .ephemeral else {
                throw CheckFailure(
                    .androidKeyNotEnrolled,
                    "the key came with the evidence and is not enrolled; it counts only without a ledger")
            }
            guard Digest.sha256(supplied) == signed.part.identifier else {
                throw CheckFailure(.keyIDDiffers, "the key identifier is not SHA-256 of the supplied key")
            }
            return SigningKey(info: supplied, key: try AttestedKey(supplied[...]))
        }
        if let time = enrolled.retiredAt {
            throw CheckFailure(.keyRetired, "the key was retired at \(RFC3339.format(time))")
        }
        guard enrolled.app.isByteEqual(to: expectations.app) else {
            throw CheckFailure(.keyOfAnotherApp, "the key is enrolled for app \(enrolled.app)")
        }
        // A key that a test authority certified must not outlive the policy that trusts this authority.
        guard keys.testAuthority == expectations.trust.testAuthority else {
            throw CheckFailure(
                .keyOfAnotherAuthority,
                "the key was enrolled under \(keys.testAuthority.map { "the test authority \($0)" } ?? "Google's roots"), "
                    + "which this policy does not trust")
        }
        guard keys.supplied == nil || keys.supplied == enrolled.publicKey else {
            throw CheckFailure(.keyDiffers, "the key that came with the evidence is not the enrolled one")
        }
        guard let parsed = keys.parsedKey else {
            return SigningKey(info: enrolled.publicKey, key: try AttestedKey(enrolled.publicKey[...]))
        }
        return SigningKey(info: enrolled.publicKey, key: parsed)
    }

    private static let signatureEntry = CheckDefinition(
        .androidKeyRequestSignature, .gate,
        proves: "The enrolled key signed the signature base of this request.",
        stops: "Requests that the device did not make, and changes to one that it made.",
        lookAt: """
            The bytes that the app signs: the lines of the signature base. The keystore returns ECDSA signatures in DER, \
            and the request has r and s, 32 bytes each.
            """,
        source: "RFC 9421 sections 3.2, 3.3.1 and 3.3.4", remedy: .retry, codes: [.signatureLength, .signatureInvalid])

    /// The signature is over the base. A high s is allowed: the ledger remembers the base, not the signature.
    func signature(_ key: SigningKey?) throws(CheckFailure) {
        let bytes = signed.signature.bytes
        switch key?.key {
        case .ecdsa(let point):
            guard bytes.count == 64 else { throw Self.length(bytes.count, 64, "r and s, 32 bytes each") }
            guard point.isValidSignature(p1363: bytes, for: signed.base[...], digest: .sha256) else {
                throw Self.invalid
            }
        case .rsa(let number):
            guard bytes.count == number.modulusLength else {
                throw Self.length(bytes.count, number.modulusLength, "as long as the modulus")
            }
            guard number.verifyPKCS1SHA256(bytes, for: signed.base[...]) else { throw Self.invalid }
        case .p521, nil: throw Self.invalid
        }
    }

    private static var invalid: CheckFailure {
        CheckFailure(.signatureInvalid, "the key did not sign this signature base")
    }

    private static func length(_ found: Int, _ expected: Int, _ form: String) -> CheckFailure {
        CheckFailure(.signatureLength, "expected a signature of \(expected) bytes, \(form), found \(found)")
    }
}

extension CheckCode {
    /// The ledger does not have the key: the app attests one.
    public static let androidKeyNotEnrolled = CheckCode(
        "key-not-enrolled",
        "The key came with the signed request, and with a ledger only enrolled keys count: verify its attestation first."
    )
    fileprivate static let keyIDDiffers = CheckCode(
        "key-id-differs", "The key identifier is not SHA-256 of the SubjectPublicKeyInfo that came with the evidence.")
    fileprivate static let keyOfAnotherAuthority = CheckCode(
        "key-of-another-authority",
        "The key was attested under a test authority that the policy does not trust, or under Google's roots in a test."
    )
    fileprivate static let keyDiffers = CheckCode(
        "key-differs", "The key that came with the evidence is not the one that the ledger has under this identifier.")
    fileprivate static let keyCannotSign = CheckCode(
        "key-cannot-sign", "The key is on a curve that requests are not signed with: make a P-256 key.")
    fileprivate static let algorithmDiffers = CheckCode(
        "algorithm-differs",
        "The request names another algorithm than that of the enrolled key: a forgery, or a defect of the app.",
        remedy: .nothing)
    fileprivate static let keySupplied = CheckCode(
        "key-supplied",
        "The public key came with the request, so that nothing shows that it was ever attested: for tests only.")
    fileprivate static let signatureLength = CheckCode(
        "signature-length",
        "The signature has another length than its algorithm: ECDSA is sent as r and s, not in DER as the keystore returns it.",
        remedy: .nothing)
    fileprivate static let signatureInvalid = CheckCode(
        "signature-invalid",
        "The key did not sign this request: it was changed on the way, or the app signs other bytes than the signature base."
    )
}
