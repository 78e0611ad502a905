import AssayCore
import AssayPrimitives

/// The keys that the header of a token may mean, and what they make of it.
///
/// The algorithm is the key's, and the header is only compared with it. A kid narrows down which keys are tried, and never
/// makes a token authentic:
/// - A key that was given an ID is not tried with tokens that name another one.
/// - Of a key without an ID nobody has said what its kid is: Approov's tool prints the secret and no more. It is tried with
///   tokens that name no key, or one that no live key was given as its ID.
/// - A token that names no key may be one of any secret. Of public keys those with an ID are left out: sets of keys are
///   there to be selected from.
struct TokenKeys {
    typealias Selection = KeySelection<ApproovKey>

    let selection: Selection

    /// A key that may be meant.
    private struct Candidate<Key> {
        let name: String
        let keyID: String?
        let isSymmetric: Bool
        let key: Key
    }

    /// The names of the live keys, for sentences.
    private var names: String { selection.live.map(\.name.excerpt).joined(separator: ", ") }

    // MARK: Signed tokens

    private static func verifications(of entries: [Selection.Entry]) -> [Candidate<JWSKey>] {
        entries.flatMap { entry in
            entry.material.verifications.map {
                Candidate(name: entry.name, keyID: $0.keyID, isSymmetric: $0.key.isSymmetric, key: $0.key)
            }
        }
    }

    /// The keys that a header may mean.
    func candidates(for header: JOSEHeader) throws(CheckFailure) -> [(name: String, key: JWSKey)] {
        let named = try choose(Self.verifications(of: selection.live), keyID: header.keyID)
        let fitting = named.filter { $0.key.algorithm.isByteEqual(to: header.algorithm) }
        guard !fitting.isEmpty else {
            throw Self.algorithmFailure(header.algorithm, named.map { (name: $0.name, algorithm: $0.key.algorithm) })
        }
        return fitting.map { ($0.name, $0.key) }
    }

    /// The first key whose signature the token has.
    func verify(_ jws: CompactJWS, with candidates: [(name: String, key: JWSKey)]) throws(CheckFailure) -> String {
        var failure: JOSEError?
        for candidate in candidates {
            do throws(JOSEError) {
                try candidate.key.verify(jws)
                return candidate.name
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
                Candidate(name: entry.name, keyID: entry.material.keyID, isSymmetric: true, key: $0)
            }
        }
    }

    /// The keys that the header of an encrypted token may mean.
    func candidates(decrypting header: JOSEHeader) throws(CheckFailure) -> [(name: String, key: JWEKey)] {
        let keys = Self.decryptions(of: selection.live)
        guard !keys.isEmpty || selection.live.isEmpty else {
            throw CheckFailure("no-secret", "only a secret decrypts tokens, and the live keys have none: \(names)")
        }
        let named = try choose(keys, keyID: header.keyID)
        let fitting = named.filter { $0.key.algorithm.isByteEqual(to: header.algorithm) }
        guard !fitting.isEmpty else {
            throw Self.algorithmFailure(header.algorithm, named.map { (name: $0.name, algorithm: $0.key.algorithm) })
        }
        return fitting.map { ($0.name, $0.key) }
    }

    /// What is in the token, opened with the first key that fits.
    func open(
        _ jwe: CompactJWE, with candidates: [(name: String, key: JWEKey)]
    ) throws(CheckFailure) -> (name: String, plaintext: [UInt8]) {
        var failure: JOSEError?
        for candidate in candidates {
            do throws(JOSEError) {
                return (candidate.name, try candidate.key.decrypt(jwe))
            } catch {
                // A key that unwraps and then fails is the one that was meant.
                if failure == nil || error.reason == .decryptionFailed { failure = error }
            }
        }
        for other in Self.decryptions(of: selection.others) where (try? other.key.decrypt(jwe)) != nil {
            throw notLive(other.name, "encrypted")
        }
        throw Self.rejection(failure, candidates.map(\.name))
    }

    // MARK: Loggable tokens

    /// The live secrets: a loggable token names no key.
    func secrets() throws(CheckFailure) -> [(name: String, key: SecretBytes)] {
        let secrets = selection.live.compactMap { entry in entry.material.secret.map { (entry.name, $0) } }
        guard !selection.live.isEmpty else { throw Self.noLiveKey }
        guard !secrets.isEmpty else {
            throw CheckFailure(
                "no-secret", "loggable tokens are signed with a secret, and the live keys have none: \(names)")
        }
        return secrets
    }

    /// The first secret whose signature begins as the token says.
    func verify(
        _ loggable: LoggableToken, with secrets: [(name: String, key: SecretBytes)]
    ) throws(CheckFailure) -> String {
        for secret in secrets where loggable.isSigned(with: secret.key) { return secret.name }
        for other in selection.others {
            guard let secret = other.material.secret, loggable.isSigned(with: secret) else { continue }
            throw notLive(other.name, "signed")
        }
        let tried = secrets.map(\.name.excerpt).joined(separator: ", ")
        throw CheckFailure(
            "signature-invalid",
            "no secret gives a signature that begins so: the token was rejected by Approov, or changed; tried \(tried)")
    }

    // MARK: Both

    private func choose<Key>(
        _ candidates: [Candidate<Key>], keyID: String?
    ) throws(CheckFailure) -> [Candidate<Key>] {
        guard !candidates.isEmpty else { throw Self.noLiveKey }
        guard let keyID else {
            let nameless = candidates.filter { $0.keyID == nil || $0.isSymmetric }
            guard !nameless.isEmpty else {
                throw CheckFailure(
                    "missing-key-id", "the header names no key, and the live keys are to be named: \(names)")
            }
            return nameless
        }
        let exact = candidates.filter { $0.keyID.map { $0.isByteEqual(to: keyID) } ?? false }
        let chosen = exact.isEmpty ? candidates.filter { $0.keyID == nil } : exact
        guard !chosen.isEmpty else { throw notFound(keyID) }
        return chosen
    }

    private func notFound(_ keyID: String) -> CheckFailure {
        let other = selection.others.first { entry in
            entry.material.verifications.contains { $0.keyID?.isByteEqual(to: keyID) ?? false }
        }
        guard let other else {
            return CheckFailure(
                "unknown-key-id",
                "the header names the key \"\(keyID.excerpt)\", which is the keyID of none of the live keys: \(names)")
        }
        return CheckFailure(
            "key-not-live",
            "the header names the key \"\(keyID.excerpt)\", which is \(other.name.excerpt) and not live: \(other.state)"
        )
    }

    private static func algorithmFailure(
        _ found: String, _ keys: [(name: String, algorithm: String)]
    ) -> CheckFailure {
        let allowed = keys.map { "\($0.algorithm) by key \($0.name.excerpt)" }.joined(separator: ", ")
        return CheckFailure(
            JOSEError.Code.algorithmNotAllowed.name,
            "the header names alg \"\(found.excerpt)\", allowed are \(allowed)")
    }

    private func notLive(_ name: String, _ done: String) -> CheckFailure {
        let state = selection.others.first { $0.name.isByteEqual(to: name) }.map { "\($0.state)" } ?? "not live"
        return CheckFailure(
            "key-not-live", "the token is \(done) with key \(name.excerpt), which is not live: \(state)")
    }

    private static var noLiveKey: CheckFailure {
        CheckFailure("no-live-key", "the app has no key that may be used now")
    }

    private static func rejection(_ failure: JOSEError?, _ names: [String]) -> CheckFailure {
        guard let failure else { return noLiveKey }
        let tried = names.map(\.excerpt).joined(separator: ", ")
        // Approov gives apps that fail attestation a token that is signed with a wrong secret.
        let hint =
            failure.reason == .wrongLength
            ? "" : "; so are the tokens of apps that fail attestation"
        return CheckFailure(failure.code, "\(failure.detail)\(hint); tried \(tried)")
    }
}
