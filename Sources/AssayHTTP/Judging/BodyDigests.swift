import AssayCore
import AssayPrimitives
public import HTTPTypes

/// Running digests of the body of a request, for servers that do not hold a whole body in memory.
public struct BodyDigests: Sendable {
    private var running: [(algorithm: ContentDigest.Algorithm, digest: RunningDigest)]
    /// The bytes so far.
    package private(set) var length = 0

    /// Begins with an empty body.
    ///
    /// - Parameter fields: those of the request. Only algorithms that its `Content-Digest` names are computed: the signature can cover
    ///   no others.
    public init(for fields: HTTPFields) {
        let values = Self.contentDigest.map { fields[values: $0] } ?? []
        running = ContentDigest.Algorithm.allCases.filter { algorithm in
            values.contains { Self.contains($0.utf8, Array(algorithm.rawValue.utf8)) }
        }.map { ($0, RunningDigest($0)) }
    }

    private static func contains(_ text: String.UTF8View, _ word: [UInt8]) -> Bool {
        var rest = text[...]
        while rest.count >= word.count {
            if rest.starts(with: word) { return true }
            rest.removeFirst()
        }
        return false
    }

    static let contentDigest = HTTPField.Name("Content-Digest")

    /// Adds the next part of the body.
    public mutating func update(_ part: some Sequence<UInt8>) {
        let bytes = Array(part)
        update(bytes.span.bytes)
    }

    /// Adds the next part of the body.
    package mutating func update(_ part: RawSpan) {
        length += part.byteCount
        for index in running.indices { running[index].digest.update(part) }
    }

    /// The digests of all parts so far.
    var body: SignedRequest.Body { .digests(sha256: digest(.sha256), sha512: digest(.sha512)) }

    /// The digest of all parts so far; nil for an algorithm that is not computed.
    private func digest(_ algorithm: ContentDigest.Algorithm) -> [UInt8]? {
        running.first { $0.algorithm == algorithm }?.digest.finalize()
    }

    /// Whether all given digests match the parts so far. False for no digests.
    func match(_ digests: [MessageFacts.ContentDigest]) -> Bool {
        !digests.isEmpty
            && digests.allSatisfy { expected in
                guard let algorithm = ContentDigest.Algorithm(rawValue: expected.algorithm),
                    let found = digest(algorithm)
                else { return false }
                return ConstantTime.equals(found, expected.value)
            }
    }
}
