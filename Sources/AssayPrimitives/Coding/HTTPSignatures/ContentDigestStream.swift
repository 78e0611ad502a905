/// Compares a `Content-Digest` with content that comes in parts and is not kept.
public struct ContentDigestStream: Sendable {
    private let expected: ContentDigest
    private var digests: [(algorithm: ContentDigest.Algorithm, running: RunningDigest)]

    /// Begins with no content.
    public init(_ expected: ContentDigest) {
        self.expected = expected
        digests = expected.values.map { ($0.algorithm, RunningDigest($0.algorithm)) }
    }

    /// Adds the next part of the content.
    public mutating func update(_ part: RawSpan) {
        for index in digests.indices { digests[index].running.update(part) }
    }

    /// Adds the next part of the content.
    public mutating func update(_ part: ArraySlice<UInt8>) {
        for index in digests.indices { digests[index].running.update(part) }
    }

    /// Whether the content so far is the one that the digests are of. It may go on afterwards.
    public func compare() -> ContentDigest.Comparison {
        expected.compare { algorithm in
            digests.first { $0.algorithm == algorithm }?.running.finalize() ?? []
        }
    }
}
