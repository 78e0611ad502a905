import AssayPrimitives

/// The body of a request and the digests that its signature covers (RFC 9530 section 2).
package struct CoveredBody: Sendable {
    /// The codes of ``requireDigests()``, and the remark on a request without a body.
    package static let codes: [CheckCode] =
        CheckCode.ofDecoding + [.digestDiffers, .digestNotComputed, .noKnownAlgorithm, .noBody]
    /// The remark on a request that has no body, and a signature that covers no digest.
    package static let noBody = Finding(
        .noBody, "the request has no body, and the signature covers no digest of one")

    private let body: SignedRequest.Body
    private let message: HTTPMessageParts
    private let form: ByteForm

    package init(_ body: SignedRequest.Body, of message: HTTPMessageParts, form: ByteForm = .byteSequence) {
        (self.body, self.message, self.form) = (body, message, form)
    }

    /// The covered digests. All match the body, and at least one has a known algorithm.
    package func requireDigests() throws(CheckFailure) -> [ContentDigest.Value] {
        guard let value = message.combinedValue(of: CoveredComponents.contentDigest) else {
            // A covered field that is missing already fails in the signature base.
            throw CheckFailure(
                DecodeError(.missing, at: 0, field: "Content-Digest", "the request has no such field"))
        }
        let digests: ContentDigest
        do throws(DecodeError) { digests = try ContentDigest(value[...], form: form) } catch {
            throw CheckFailure(error.within("Content-Digest"))
        }
        switch compare(digests) {
        case .matches: return digests.values
        case .differs(let algorithm):
            throw CheckFailure(.digestDiffers, "the signature covers \(algorithm.rawValue) of another body")
        case .notComputed(let algorithm):
            throw CheckFailure(
                .digestNotComputed,
                "the signature covers \(algorithm.rawValue) of the body, which this server did not see: behind a gateway that sends "
                    + "no bodies, see requests.body in the policy")
        case .noKnownAlgorithm:
            throw CheckFailure(
                .noKnownAlgorithm,
                "Content-Digest has no digest of a known algorithm, which are sha-256 and sha-512"
                    + (digests.ignored.isEmpty
                        ? "" : "; found \(digests.ignored.prefix(8).map(\.excerpt).joined(separator: ", "))"))
        }
    }

    private func compare(_ digests: ContentDigest) -> ContentDigest.Comparison {
        switch body {
        case .bytes(let bytes): digests.compare(with: bytes[...])
        case .digests(let sha256, let sha512):
            digests.compare { algorithm in
                switch algorithm {
                case .sha256: sha256
                case .sha512: sha512
                }
            }
        // The caller must compare the body with the returned digests.
        case .unread: digests.values.isEmpty ? .noKnownAlgorithm : .matches
        }
    }
}

extension SignedRequest.Body {
    private static let emptyDigests = (sha256: Digest.sha256([]), sha512: Digest.sha512([]))

    /// True if there is a body. An unread body counts.
    package var isPresent: Bool {
        switch self {
        case .bytes(let bytes): !bytes.isEmpty
        case .digests(let sha256?, _): sha256 != Self.emptyDigests.sha256
        case .digests(nil, let sha512?): sha512 != Self.emptyDigests.sha512
        case .digests(nil, nil), .unread: true
        }
    }
}

extension CheckCode {
    fileprivate static let digestDiffers = CheckCode(
        "digest-differs", "The body is not the signed one: it was changed, for example by a proxy that compresses it.")
    /// The server is set up so that it cannot compare the body. No other evidence of the client would be accepted.
    package static let digestNotComputed = CheckCode(
        "digest-not-computed",
        "The caller computed no digest with the algorithm that the signature covers: compute it, or pass the body.",
        remedy: .contactSupport)
    fileprivate static let noKnownAlgorithm = CheckCode(
        "no-known-algorithm", "Content-Digest has neither sha-256 nor sha-512, and no other algorithm counts.")
    fileprivate static let noBody = CheckCode(
        "no-body", "The request has no body and the signature covers no digest: no action.")
}
