public import AssayCore

extension CheckID {
    /// A live key matches the header's key ID and algorithm.
    public static let approovTokenKey = CheckID("approov.token.key")
    /// Approov signed the token.
    public static let approovTokenSignature = CheckID("approov.token.signature")
    /// Approov encrypted the token.
    public static let approovTokenDecryption = CheckID("approov.token.decryption")
}

extension ApproovCheck {
    static let keyEntry = CheckDefinition(
        .approovTokenKey, .gate,
        proves: "The header names a live key of the app, or none, and the algorithm that belongs to such a key.",
        stops: "Tokens that choose their own algorithm, such as `none` or a public key used as a secret.",
        lookAt: "`assay keys list` and `keys` in the policy: kid, algorithm, whether the key is live.",
        source: "RFC 8725 sections 3.1 and 3.2; \(tokens)",
        remedy: .contactSupport,
        codes: [.algorithmNotAllowed, .noLiveKey, .missingKeyID, .unknownKeyID, .keyNotLive, .noSecret])

    static let signatureEntry = CheckDefinition(
        .approovTokenSignature, .gate,
        proves: "A holder of the account's key signed header and claims.",
        stops: """
            Forged and changed tokens, and the tokens that Approov gives to apps that fail attestation, which it \
            signs with a wrong secret.
            """,
        lookAt: """
            This is most often a genuine rejection: look up the ARC. An app whose connection to Approov was intercepted \
            has such a token too. If every token fails, check whether the secret was rotated or is another account's.
            """,
        source: "RFC 7515 section 5.2; \(backend)",
        remedy: .contactSupport, codes: CheckCode.ofSignature + [.keyNotLive, .authenticatedWithKey, .loggableToken])

    static let decryptionEntry = CheckDefinition(
        .approovTokenDecryption, .gate,
        proves: "A live secret opens the token with A256GCMKW and A256GCM, and the token is unchanged.",
        stops: "Forged and changed tokens, and the tokens that Approov gives to apps that fail attestation.",
        lookAt: "As for `approov.token.signature`; whether the domain was set up for encrypted tokens.",
        source: "RFC 7516 section 5.2, RFC 7518 sections 4.7 and 5.3; \(tokens)",
        remedy: .contactSupport, codes: CheckCode.ofDecryption + [.keyNotLive, .authenticatedWithKey])
}

/// The candidate keys for a token's header, prepared once for an app's keys in their present states; see ``TokenKeysMemo``.
///
/// The key determines the algorithm; the header is only compared with it. A kid narrows the choice of keys, and never makes a token
/// authentic. A key with an ID is not tried for tokens that name another ID. A key without one, as Approov's tool prints secrets, is
/// tried for tokens that name no key, or an ID that no live key has. A token without a kid may be of any secret, but not of a public
/// key with an ID: the kid selects from a key set.
final class ApproovTokenKeys: Sendable {
    typealias Selection = KeySelection<ApproovKey>

    let selection: Selection
    private let signing: Candidates<JWSKey>
    private let encrypting: Candidates<JWEKey>
    private let liveSecrets: [Candidate<SecretBytes>]

    /// A key to try.
    final class Candidate<Key: Sendable>: Sendable {
        let name: String
        let keyID: String?
        let isSymmetric: Bool
        let algorithm: String
        let key: Key
        /// The gate's result for tokens that this key authenticates.
        let passed: CheckResult

        init(name: String, keyID: String?, isSymmetric: Bool, algorithm: String, key: Key, gate: CheckID) {
            (self.name, self.keyID, self.isSymmetric) = (name, keyID, isSymmetric)
            (self.algorithm, self.key) = (algorithm, key)
            passed = .passed(gate, Finding(.authenticatedWithKey, "with key \(name.excerpt)"))
        }
    }

    /// Live keys for one token form.
    private struct Candidates<Key: Sendable>: Sendable {
        let all: [Candidate<Key>]
        /// The keys to try for a token without a kid.
        let unnamed: [Candidate<Key>]

        init(_ all: [Candidate<Key>]) {
            self.all = all
            unnamed = all.filter { $0.keyID == nil || $0.isSymmetric }
        }
    }

    init(_ selection: Selection) {
        self.selection = selection
        signing = Candidates(Self.verifications(of: selection.live))
        encrypting = Candidates(Self.decryptions(of: selection.live))
        liveSecrets = selection.live.compactMap { entry in
            entry.material.secret.map {
                Candidate(
                    name: entry.name, keyID: nil, isSymmetric: true, algorithm: "HS256", key: $0,
                    gate: CheckID.approovTokenSignature)
            }
        }
    }

    /// The names of the live keys, for messages.
    private var names: String { selection.live.map(\.name.excerpt).joined(separator: ", ") }

    // MARK: Signed tokens

    private static func verifications(of entries: [Selection.Entry]) -> [Candidate<JWSKey>] {
        entries.flatMap { entry in
            entry.material.verifications.map {
                Candidate(
                    name: entry.name, keyID: $0.keyID, isSymmetric: $0.key.isSymmetric, algorithm: $0.key.algorithm,
                    key: $0.key, gate: CheckID.approovTokenSignature)
            }
        }
    }

    func candidates(for header: JOSEHeader) throws(CheckFailure) -> [Candidate<JWSKey>] {
        try fitting(signing, header)
    }

    /// The first key that verifies the token's signature.
    func verify(
        _ jws: CompactJWS, with candidates: [Candidate<JWSKey>]
    ) throws(CheckFailure) -> Candidate<JWSKey> {
        var failure: JOSEError?
        for candidate in candidates {
            do throws(JOSEError) {
                try candidate.key.verify(jws)
                return candidate
            } catch {
                failure = failure ?? error
            }
        }
        for other in Self.verifications(of: selection.others) where (try? other.key.verify(jws)) != nil {
            throw notLive(other.name, "signed")
        }
        throw Self.rejection(failure, candidates.map(\.name))
    }

    // MARK: Encrypted tokens

    private static func decryptions(of entries: [Selection.Entry]) -> [Candidate<JWEKey>] {
        entries.compactMap { entry in
            entry.material.decryption.map {
                Candidate(
                    name: entry.name, keyID: entry.material.keyID, isSymmetric: true, algorithm: $0.algorithm, key: $0,
                    gate: CheckID.approovTokenDecryption)
            }
        }
    }

    /// The candidate keys for the header of an encrypted token.
    func candidates(decrypting header: JOSEHeader) throws(CheckFailure) -> [Candidate<JWEKey>] {
        guard !encrypting.all.isEmpty || selection.live.isEmpty else {
            throw CheckFailure(.noSecret, "only a secret decrypts tokens, and the live keys have none: \(self.names)")
        }
        return try fitting(encrypting, header)
    }

    /// Decrypts the token with the first key that fits.
    func open(
        _ jwe: CompactJWE, with candidates: [Candidate<JWEKey>]
    ) throws(CheckFailure) -> (key: Candidate<JWEKey>, plaintext: DecryptedClaims) {
        var failure: JOSEError?
        for candidate in candidates {
            do throws(JOSEError) {
                return (candidate, try DecryptedClaims(jwe, with: candidate.key))
            } catch {
                // A key that unwraps the content key is the token's key, even if decryption then fails: report its
                // error.
                if failure == nil || error.reason == .decryptionFailed { failure = error }
            }
        }
        for other in Self.decryptions(of: selection.others) where (try? DecryptedClaims(jwe, with: other.key)) != nil {
            throw notLive(other.name, "encrypted")
        }
        throw Self.rejection(failure, candidates.map(\.name))
    }

    // MARK: Loggable tokens

    /// The live secrets. A loggable token names no key.
    func secrets() throws(CheckFailure) -> [Candidate<SecretBytes>] {
        guard !selection.live.isEmpty else { throw Self.noLiveKey }
        guard !liveSecrets.isEmpty else {
            throw CheckFailure(
                .noSecret, "loggable tokens are signed with a secret, and the live keys have none: \(self.names)")
        }
        return liveSecrets
    }

    /// The first secret that gives a signature with the token's prefix.
    func verify(
        _ loggable: LoggableToken, with secrets: [Candidate<SecretBytes>]
    ) throws(CheckFailure) -> Candidate<SecretBytes> {
        for secret in secrets where loggable.isSigned(with: secret.key) { return secret }
        for other in selection.others {
            guard let secret = other.material.secret, loggable.isSigned(with: secret) else { continue }
            throw notLive(other.name, "signed")
        }
        let tried = secrets.map(\.name.excerpt).joined(separator: ", ")
        throw CheckFailure(
            .signatureInvalid,
            "no secret gives a signature that begins so: the token was rejected by Approov, or changed; tried \(tried)")
    }

    /// The failure of a loggable token with a matching signature if the verdict is for admission.
    static func loggableAdmitsNothing(_ key: String) -> CheckFailure {
        CheckFailure(
            .loggableToken,
            "the signature of key \(key.excerpt) begins with these bits, but a loggable token is written to logs and has only 36 bits of a signature: "
                + "it admits no request. Send the token itself; to read a log, use verify --loggable or --as-captured")
    }

    // MARK: Both

    /// The candidate keys for a header, filtered by its algorithm.
    private func fitting<Key>(
        _ candidates: Candidates<Key>, _ header: JOSEHeader
    ) throws(CheckFailure) -> [Candidate<Key>] {
        let named = try choose(candidates, keyID: header.keyID)
        // Fast path: an app usually has keys of one algorithm.
        if named.allSatisfy({ $0.algorithm.isByteEqual(to: header.algorithm) }) { return named }
        let fitting = named.filter { $0.algorithm.isByteEqual(to: header.algorithm) }
        guard !fitting.isEmpty else {
            throw Self.algorithmFailure(header.algorithm, named.map { (name: $0.name, algorithm: $0.algorithm) })
        }
        return fitting
    }

    /// The keys that a kid selects; never empty.
    private func choose<Key>(
        _ candidates: Candidates<Key>, keyID: String?
    ) throws(CheckFailure) -> [Candidate<Key>] {
        guard !candidates.all.isEmpty else { throw Self.noLiveKey }
        guard let keyID else {
            guard !candidates.unnamed.isEmpty else {
                throw CheckFailure(
                    .missingKeyID, "the header names no key, and the live keys are to be named: \(self.names)")
            }
            return candidates.unnamed
        }
        let exact = candidates.all.filter { $0.keyID.map { $0.isByteEqual(to: keyID) } ?? false }
        let chosen = exact.isEmpty ? candidates.all.filter { $0.keyID == nil } : exact
        guard !chosen.isEmpty else { throw notFound(keyID) }
        return chosen
    }

    private func notFound(_ keyID: String) -> CheckFailure {
        let other = selection.others.first { entry in
            entry.material.verifications.contains { $0.keyID?.isByteEqual(to: keyID) ?? false }
        }
        guard let other else {
            return CheckFailure(
                .unknownKeyID,
                "the header names the key \"\(keyID.excerpt)\", which is the keyID of none of the live keys: \(self.names)"
            )
        }
        return CheckFailure(
            .keyNotLive,
            "the header names the key \"\(keyID.excerpt)\", which is \(other.name.excerpt) and not live: \(other.state)"
        )
    }

    private static func algorithmFailure(
        _ found: String, _ keys: [(name: String, algorithm: String)]
    ) -> CheckFailure {
        let allowed = keys.map { "\($0.algorithm) by key \($0.name.excerpt)" }.joined(separator: ", ")
        return CheckFailure(
            .algorithmNotAllowed,
            "the header names alg \"\(found.excerpt)\", allowed are \(allowed)")
    }

    private func notLive(_ name: String, _ done: String) -> CheckFailure {
        let state = selection.others.first { $0.name.isByteEqual(to: name) }.map { "\($0.state)" } ?? "not live"
        return CheckFailure(
            .keyNotLive, "the token is \(done) with key \(name.excerpt), which is not live: \(state)")
    }

    private static var noLiveKey: CheckFailure {
        CheckFailure(.noLiveKey, "the app has no key that may be used now")
    }

    private static func rejection(_ failure: JOSEError?, _ names: [String]) -> CheckFailure {
        guard let failure else { return noLiveKey }
        let tried = names.map(\.excerpt).joined(separator: ", ")
        // Approov gives an app that fails attestation a token with a wrong secret.
        let hint =
            failure.reason == .wrongLength
            ? "" : "; so are the tokens of apps that fail attestation"
        return CheckFailure(CheckCode(failure.reason), "\(failure.detail)\(hint); tried \(tried)")
    }
}

extension CheckCode {
    static let authenticatedWithKey = CheckCode(
        "authenticated-with-key", "Names the key that authenticated the evidence: no action.")
    static let keyNotLive = CheckCode(
        "key-not-live",
        "The evidence is of a key that was retired, has expired or is not valid yet: see `assay keys list`.")
    static let loggableToken = CheckCode(
        "loggable-token",
        """
        A loggable token proves nothing to a server, as anyone who reads a log has it: send the token itself; its claims are \
        for reading.
        """, remedy: .nothing)
    fileprivate static let noLiveKey = CheckCode(
        "no-live-key", "The app has no key that may be used now: import one, or list it under `keys` in the policy.")
    fileprivate static let noSecret = CheckCode(
        "no-secret",
        "The live keys are public keys, and this form of token needs the account's secret: import the secret.")
}
