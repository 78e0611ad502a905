package import AssayPrimitives

/// The field `Content-Digest` (RFC 9530 section 2): digests of the content. Proves nothing unless signed.
package struct ContentDigest: Sendable {
    /// A supported algorithm.
    package enum Algorithm: String, Sendable, Hashable, CaseIterable {
        case sha256 = "sha-256"
        case sha512 = "sha-512"

        /// The length of a digest in bytes.
        package var length: Int {
            switch self {
            case .sha256: 32
            case .sha512: 64
            }
        }

        /// Hashes content.
        package func digest(of content: ArraySlice<UInt8>) -> [UInt8] {
            switch self {
            case .sha256: Digest.sha256(content)
            case .sha512: Digest.sha512(content)
            }
        }
    }

    package struct Value: Sendable, Equatable {
        package let algorithm: Algorithm
        package let digest: [UInt8]

        /// Creates a digest. `digest` must have the length of the algorithm.
        package init(_ algorithm: Algorithm, _ digest: [UInt8]) {
            self.algorithm = algorithm
            self.digest = digest
        }
    }

    /// The digests of supported algorithms in order, at most one for each.
    package let values: [Value]
    /// The names of deprecated or unknown algorithms, whose digests are ignored.
    package let ignored: [String]

    /// Hashes content with each of the algorithms.
    package init(of content: ArraySlice<UInt8>, _ algorithms: [Algorithm]) {
        values = algorithms.map { Value($0, $0.digest(of: content)) }
        ignored = []
    }

    /// Reads a field value with its lines joined.
    /// - Throws: ``DecodeError`` at an index of `value` if it is not a dictionary, repeats an algorithm, or has a
    ///   digest of a supported algorithm with a wrong form or length.
    package init(_ value: ArraySlice<UInt8>, form: ByteForm = .byteSequence) throws(DecodeError) {
        var values: [Value] = []
        var ignored: [String] = []
        for entry in try StructuredFieldReader.readDictionary(value).entries {
            guard let algorithm = Algorithm(rawValue: entry.key) else {
                ignored.append(entry.key)
                continue
            }
            let digest = try form.bytes(of: entry.member, entry.key, offset: entry.offset)
            guard digest.count == algorithm.length else {
                throw DecodeError(
                    .unexpectedLength, at: entry.offset, field: entry.key,
                    "a digest of \(entry.key) has \(algorithm.length) bytes, found \(digest.count)")
            }
            values.append(Value(algorithm, digest))
        }
        self.values = values
        self.ignored = ignored
    }

    /// The field value.
    /// - Throws: ``SerialisationError``, never for supported algorithms. Ignored digests are omitted.
    package func write() throws(SerialisationError) -> [UInt8] {
        try StructuredFieldWriter.write(
            StructuredDictionary(
                values.map {
                    StructuredDictionary.Entry($0.algorithm.rawValue, .item(StructuredItem(.byteSequence($0.digest))))
                }))
    }

    /// The result of comparing digests with content.
    package enum Comparison: Sendable, Equatable {
        /// There is at least one supported digest, and all supported digests match.
        case matches
        /// At least one supported digest does not match.
        case differs(Algorithm)
        /// The caller has no digest for an algorithm.
        case notComputed(Algorithm)
        /// There is no supported digest.
        case noKnownAlgorithm
    }

    /// Compares with complete content.
    package func compare(with content: ArraySlice<UInt8>) -> Comparison {
        compare { $0.digest(of: content) }
    }

    /// Compares with digests that the caller computed; the closure returns nil if it has none.
    package func compare(_ digest: (Algorithm) -> [UInt8]?) -> Comparison {
        guard !values.isEmpty else { return .noKnownAlgorithm }
        for value in values {
            guard let found = digest(value.algorithm) else { return .notComputed(value.algorithm) }
            guard ConstantTime.equals(found, value.digest) else { return .differs(value.algorithm) }
        }
        return .matches
    }
}

extension RunningDigest {
    package init(_ algorithm: ContentDigest.Algorithm) {
        switch algorithm {
        case .sha256: self.init(.sha256 as Algorithm)
        case .sha512: self.init(.sha512 as Algorithm)
        }
    }
}
