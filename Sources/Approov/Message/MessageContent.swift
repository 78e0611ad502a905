import AssayCore
import AssayHTTPSignatures
import AssayPrimitives

/// The body of a message and the digests that its signature covers (RFC 9530 section 2).
struct MessageContent {
    let body: ApproovMessageInput.Body
    let message: HTTPMessageParts
    let signing: MessageSigning

    /// The covered digests: all of them match the body, and at least one has a known algorithm.
    func demandDigests() throws(CheckFailure) -> [ContentDigest.Value] {
        guard let value = message.combinedValue(of: MessageComponents.contentDigest) else {
            throw CheckFailure("digest-missing", "the request has no field Content-Digest")
        }
        let form: ByteForm = signing.quirks.contains(.digestAsString) ? .byteSequenceOrString : .byteSequence
        let digests: ContentDigest
        do throws(DecodeError) { digests = try ContentDigest(value[...], form: form) } catch {
            throw CheckFailure(error.within("Content-Digest"))
        }
        switch compare(digests) {
        case .matches: return digests.values
        case .differs(let algorithm):
            throw CheckFailure("digest-differs", "the signature covers \(algorithm.rawValue) of another body")
        case .notComputed(let algorithm):
            throw CheckFailure(
                "digest-not-computed",
                "the signature covers \(algorithm.rawValue) of the body, which was not computed")
        case .noKnownAlgorithm:
            throw CheckFailure(
                "no-known-algorithm",
                "Content-Digest has no digest that counts, which are sha-256 and sha-512"
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
        // The reader of the body compares it with the returned digests.
        case .unread: digests.values.isEmpty ? .noKnownAlgorithm : .matches
        }
    }
}

extension ApproovMessageInput.Body {
    private static let emptyDigests = (sha256: Digest.sha256([]), sha512: Digest.sha512([]))

    /// Whether there is content. An unread body counts as content.
    var isPresent: Bool {
        switch self {
        case .bytes(let bytes): !bytes.isEmpty
        case .digests(let sha256?, _): sha256 != Self.emptyDigests.sha256
        case .digests(nil, let sha512?): sha512 != Self.emptyDigests.sha512
        case .digests(nil, nil), .unread: true
        }
    }
}
