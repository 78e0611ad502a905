import Synchronization

/// Caches recent results while one piece of evidence is verified more than once, such as under two policies. Results
/// are always correct: a verification is a pure function of its inputs. A task without a memo runs every verification,
/// and a process without one does not look it up.
package final class SignatureMemo: Sendable {
    enum Scheme: Sendable, Equatable {
        /// ECDSA with a DER ECDSA-Sig-Value. The key length identifies the curve.
        case ecdsaDER
        /// ECDSA with `r || s`.
        case ecdsaP1363
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        case rsaPKCS1
    }

    /// The memo of the task, or nil.
    @TaskLocal package static var current: SignatureMemo?

    /// Whether the process has created a memo. It is cheaper to read than ``current``.
    private static let exists = Atomic(false)

    /// More than the five verifications of an attestation with its receipt.
    private static let capacity = 8

    private struct Signature {
        let scheme: Scheme
        let key: [UInt8]
        let digest: [UInt8]
        let signature: ArraySlice<UInt8>
        let isValid: Bool
    }

    private struct State {
        var signatures: [Signature] = []
        var verified = 0
        var recalled = 0
    }

    private let state = Mutex(State())

    package init() { Self.exists.store(true, ordering: .relaxed) }

    /// The number of verifications performed.
    package var verified: Int { state.withLock { $0.verified } }
    /// The number of cached results returned.
    package var recalled: Int { state.withLock { $0.recalled } }

    /// Removes all results. Call it before other evidence.
    package func clear() {
        state.withLock { $0.signatures.removeAll(keepingCapacity: true) }
    }

    /// Whether a signature is valid: the cached result, or that of `verify`. `key` must be the canonical encoding of
    /// the public key. `digest` is called only if there is a memo.
    static func recall(
        _ scheme: Scheme, key: [UInt8], digest: () -> [UInt8], signature: ArraySlice<UInt8>, orElse verify: () -> Bool
    ) -> Bool {
        guard exists.load(ordering: .relaxed), let memo = current else { return verify() }
        let digest = digest()
        let known = memo.state.withLock { state in
            let known = state.signatures.first {
                $0.scheme == scheme && $0.signature == signature && $0.digest == digest && $0.key == key
            }
            if known != nil { state.recalled += 1 }
            return known?.isValid
        }
        if let known { return known }
        let isValid = verify()
        memo.state.withLock { state in
            state.verified += 1
            if state.signatures.count == capacity { state.signatures.removeFirst() }
            state.signatures.append(
                Signature(scheme: scheme, key: key, digest: digest, signature: signature, isValid: isValid))
        }
        return isValid
    }
}
