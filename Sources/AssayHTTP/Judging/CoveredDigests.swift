import Assay
import AssayCore
import AssayPrimitives
import NIOCore

/// Running digests of a body.
struct CoveredDigests {
    private var running: [(algorithm: ContentDigest.Algorithm, digest: RunningDigest)]

    /// Computes the algorithms named in values of `Content-Digest`. The signature can cover no others.
    init(namedIn values: [String]) {
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

    mutating func update(_ part: ByteBuffer) {
        for index in running.indices { running[index].digest.update(part.readableBytesSpan) }
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
