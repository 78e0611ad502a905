import AssayCore
import AssayPrimitives

/// The body of a message and the digests that its signature covers (RFC 9530 section 2).
struct MessageContent {
    let body: ApproovMessageInput.Body
    let message: HTTPMessageParts
    let signing: MessageSigning

    /// The digests that are covered, all of which hold for the body, and at least one of which counts.
    func demandDigests() throws(CheckFailure) -> [ContentDigest.Value] {
        guard let value = message.combinedValue(of: MessageComponents.contentDigest) else {
            throw CheckFailure("digest-missing", "the request has no field Content-Digest")
        }
        let form: ByteForm = signing.quirks.contains(.digestAsString) ? .byteSequenceOrString : .byteSequence
        let digests: ContentDigest
        do throws(DecodeError) { digests = try ContentDigest(value[...], form: form) } catch {
            throw CheckFailure(error.within("Content-Digest"))
        }
        guard !digests.values.isEmpty else {
            throw CheckFailure(
                "no-known-algorithm",
                "Content-Digest has no digest that counts, which are sha-256 and sha-512"
                    + (digests.ignored.isEmpty
                        ? "" : "; found \(digests.ignored.prefix(8).map(\.excerpt).joined(separator: ", "))"))
        }
        for digest in digests.values { try demand(digest) }
        return digests.values
    }

    private func demand(_ expected: ContentDigest.Value) throws(CheckFailure) {
        let name = expected.algorithm.rawValue
        let found: [UInt8]?
        switch (body, expected.algorithm) {
        case (.unread, _): return
        case (.bytes(let bytes), _): found = expected.algorithm.digest(of: bytes[...])
        case (.digests(let digest, _), .sha256), (.digests(_, let digest), .sha512): found = digest
        }
        guard let found else {
            throw CheckFailure(
                "digest-not-computed", "the signature covers \(name) of the body, which was not computed")
        }
        guard ConstantTime.equals(found, expected.digest) else {
            throw CheckFailure("digest-differs", "the signature covers \(name) of another body")
        }
    }
}

extension ApproovMessageInput.Body {
    private static let emptyDigests = (sha256: Digest.sha256([]), sha512: Digest.sha512([]))

    /// Whether there is content, as far as can be known.
    var isPresent: Bool {
        switch self {
        case .bytes(let bytes): !bytes.isEmpty
        case .digests(let sha256?, _): sha256 != Self.emptyDigests.sha256
        case .digests(nil, let sha512?): sha512 != Self.emptyDigests.sha512
        case .digests(nil, nil), .unread: true
        }
    }
}
