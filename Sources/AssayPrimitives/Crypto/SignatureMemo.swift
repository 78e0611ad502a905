import Synchronization

/// Remembers what the last few verifications of signatures came to, for as long as one piece of evidence is judged more
/// than once, such as under two policies.
///
/// A verification is a pure function of key, digest and signature, or of a message: what it came to once, it comes to
/// always, so that an answer from here is the answer. Without a memo in the task, every verification is done.
package final class SignatureMemo: Sendable {
    /// Which function of key, digest and signature is meant.
    enum Scheme: Sendable, Equatable {
        /// ECDSA with a DER ECDSA-Sig-Value; the curve is told by the length of the key.
        case ecdsaDER
        /// ECDSA with `r || s`.
        case ecdsaP1363
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        case rsaPKCS1
    }

    /// The memo of the task, and nil for none.
    @TaskLocal package static var current: SignatureMemo?

    /// More than one piece of evidence needs: an attestation with its receipt verifies five.
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

    /// Starts with nothing.
    package init() {}

    /// How many verifications were done.
    package var verified: Int { state.withLock { $0.verified } }
    /// How many answers were recalled instead.
    package var recalled: Int { state.withLock { $0.recalled } }

    /// Forgets what was verified: other evidence follows.
    package func clear() {
        state.withLock { state in
            state.signatures.removeAll(keepingCapacity: true)
            state.messages.removeAll(keepingCapacity: true)
        }
    }

    /// Whether a signature is valid: as it was, or as `verify` says.
    ///
    /// - Parameters:
    ///   - key: the public key in the one form that its type has.
    ///   - digest: the digest that is signed; asked for only when there is a memo.
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

    /// What verifying a CMS message gives: as it was, or as `verify` says.
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
