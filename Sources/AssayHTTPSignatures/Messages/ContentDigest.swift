package import AssayCore
package import AssayPrimitives

/// The field `Content-Digest`, RFC 9530 section 2: digests of the content of a message, as it is transferred.
///
/// It proves nothing by itself: a signature must cover it.
package struct ContentDigest: Sendable {
    /// An algorithm that counts.
    package enum Algorithm: String, Sendable, Hashable, CaseIterable {
        /// SHA-256.
        case sha256 = "sha-256"
        /// SHA-512.
        case sha512 = "sha-512"

        /// The length of a digest in bytes.
        package var length: Int {
            switch self {
            case .sha256: 32
            case .sha512: 64
            }
        }

        /// The digest of some content.
        package func digest(of content: ArraySlice<UInt8>) -> [UInt8] {
            switch self {
            case .sha256: Digest.sha256(content)
            case .sha512: Digest.sha512(content)
            }
        }
    }

    /// One digest.
    package struct Value: Sendable, Equatable {
        /// Its algorithm.
        package let algorithm: Algorithm
        /// The digest.
        package let digest: [UInt8]

        /// Makes a digest, whose length must be the algorithm's.
        package init(_ algorithm: Algorithm, _ digest: [UInt8]) {
            self.algorithm = algorithm
            self.digest = digest
        }
    }

    /// The digests that count, in their order, one of an algorithm at most.
    package let values: [Value]
    /// The names of algorithms that are deprecated or not known. Their digests never count.
    package let ignored: [String]

    /// The digests of some content under some algorithms, in the order of these.
    package init(of content: ArraySlice<UInt8>, _ algorithms: [Algorithm]) {
        values = algorithms.map { Value($0, $0.digest(of: content)) }
        ignored = []
    }

    /// Reads a field value.
    ///
    /// - Parameters:
    ///   - value: the value, its lines joined; indices serve as offsets.
    ///   - form: in which form digests may stand.
    /// - Throws: ``DecodeError`` for what is no dictionary, for an algorithm that comes twice, and for a digest of a known
    ///   algorithm that is not bytes of its length.
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
    /// - Throws: ``SerialisationError`` never for known algorithms; ignored ones are left out.
    package func write() throws(SerialisationError) -> [UInt8] {
        try StructuredFieldWriter.write(
            StructuredDictionary(
                values.map {
                    StructuredDictionary.Entry($0.algorithm.rawValue, .item(StructuredItem(.byteSequence($0.digest))))
                }))
    }

    /// What comparing digests with content tells.
    package enum Comparison: Sendable, Equatable {
        /// There are digests that count, and all of them are the content's.
        case matches
        /// The digest of an algorithm is that of other content. One is enough, whatever the others are.
        case differs(Algorithm)
        /// Nobody has computed the digest of an algorithm.
        case notComputed(Algorithm)
        /// No digest counts.
        case noKnownAlgorithm
    }

    /// Compares with content that is there as a whole.
    package func compare(with content: ArraySlice<UInt8>) -> Comparison {
        compare { $0.digest(of: content) }
    }

    /// Compares with digests of the content that somebody else computes, nil for those that nobody has.
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
    /// Begins the digest of some content, with no bytes.
    package init(_ algorithm: ContentDigest.Algorithm) {
        switch algorithm {
        case .sha256: self.init(.sha256 as Algorithm)
        case .sha512: self.init(.sha512 as Algorithm)
        }
    }
}
