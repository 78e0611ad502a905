import Synchronization

/// Caches recent results while one piece of evidence is verified more than once, such as under two policies. Results
/// are always correct: a verification is a pure function of its inputs. A task without a memo runs every verification.
package final class SignatureMemo: Sendable {
    /// The signature scheme.
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

    /// More than the five verifications of an attestation with its receipt.
    private static let capacity = 8

    private struct Signature {
        let scheme: Scheme
        let key: [UInt8]
        let digest: [UInt8]
        let signature: ArraySlice<UInt8>
        let isValid: Bool
    }

    private struct Message {
        let message: ArraySlice<UInt8>
        let detachedContent: [UInt8]?
        let result: Result<CMSSignedData.Verified, CMSFailure>
    }

    private struct State {
        var signatures: [Signature] = []
        var messages: [Message] = []
        var verified = 0
        var recalled = 0
    }

    private let state = Mutex(State())

    /// Creates an empty memo.
    package init() {}

    /// The number of verifications performed.
    package var verified: Int { state.withLock { $0.verified } }
    /// The number of cached results returned.
    package var recalled: Int { state.withLock { $0.recalled } }

    /// Removes all results. Call it before other evidence.
    package func clear() {
        state.withLock { state in
            state.signatures.removeAll(keepingCapacity: true)
            state.messages.removeAll(keepingCapacity: true)
        }
    }

    /// Whether a signature is valid: the cached result, or that of `verify`. `key` must be the canonical encoding of
    /// the public key. `digest` is called only if there is a memo.
    static func recall(
        _ scheme: Scheme, key: [UInt8], digest: () -> [UInt8], signature: ArraySlice<UInt8>, orElse verify: () -> Bool
    ) -> Bool {
        guard let memo = current else { return verify() }
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

    /// The result of verifying a CMS message: cached, or that of `verify`.
    static func recall(
        _ message: ArraySlice<UInt8>, detachedContent: [UInt8]?,
        orElse verify: () -> Result<CMSSignedData.Verified, CMSFailure>
    ) -> Result<CMSSignedData.Verified, CMSFailure> {
        guard let memo = current else { return verify() }
        let known = memo.state.withLock { state in
            let known = state.messages.first { $0.message == message && $0.detachedContent == detachedContent }
            if known != nil { state.recalled += 1 }
            return known?.result
        }
        if let known { return known }
        let result = verify()
        memo.state.withLock { state in
            state.verified += 1
            if state.messages.count == capacity { state.messages.removeFirst() }
            state.messages.append(Message(message: message, detachedContent: detachedContent, result: result))
        }
        return result
    }
}
