internal import COpenSSL

/// SHA-2 digests (FIPS 180-4).
///
/// The algorithms are fetched once: a one-shot digest looks them up in every call, under a lock that threads share.
///
/// OpenSSL fails here only when it cannot allocate a few hundred bytes, or when the system's OpenSSL has no SHA-2. The
/// first stops the process as every failed allocation of Swift does, the second at the first use; neither depends on
/// what is hashed.
public enum Digest {
    /// SHA-256 of the concatenation of some parts, 32 bytes.
    public static func sha256(_ parts: ArraySlice<UInt8>...) -> [UInt8] {
        hash(parts, with: DigestAlgorithm.sha256)
    }

    /// SHA-256, 32 bytes.
    public static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        hash(CollectionOfOne(bytes[...]), with: DigestAlgorithm.sha256)
    }

    /// SHA-384 of the concatenation of some parts, 48 bytes.
    public static func sha384(_ parts: ArraySlice<UInt8>...) -> [UInt8] {
        hash(parts, with: DigestAlgorithm.sha384)
    }

    /// SHA-384, 48 bytes.
    public static func sha384(_ bytes: [UInt8]) -> [UInt8] {
        hash(CollectionOfOne(bytes[...]), with: DigestAlgorithm.sha384)
    }

    /// SHA-256 of the concatenation of some parts, of which there may be any number.
    static func sha256(concatenating parts: some Collection<ArraySlice<UInt8>>) -> [UInt8] {
        hash(parts, with: DigestAlgorithm.sha256)
    }

    private static func hash(
        _ parts: some Collection<ArraySlice<UInt8>>, with algorithm: DigestAlgorithm
    ) -> [UInt8] {
        let context = DigestContext(algorithm)
        for part in parts { context.update(part) }
        return context.finish(length: algorithm.length)
    }
}

/// A digest of OpenSSL, fetched once and never freed.
@safe private struct DigestAlgorithm: @unchecked Sendable {
    // Unchecked: an EVP_MD is immutable after it was fetched, and its reference count is atomic.
    let handle: OpaquePointer
    let length: Int

    static let sha256 = DigestAlgorithm("SHA2-256", length: 32)
    static let sha384 = DigestAlgorithm("SHA2-384", length: 48)

    private init(_ name: String, length: Int) {
        guard let handle = unsafe EVP_MD_fetch(nil, name, nil) else {
            preconditionFailure("OpenSSL offers no \(name): check the providers in its configuration file")
        }
        unsafe self.handle = handle
        self.length = length
    }
}

/// A running digest.
@safe private struct DigestContext: ~Copyable {
    private let handle: OpaquePointer

    init(_ algorithm: DigestAlgorithm) {
        guard let handle = unsafe EVP_MD_CTX_new(), unsafe EVP_DigestInit_ex2(handle, algorithm.handle, nil) == 1 else {
            preconditionFailure("out of memory")
        }
        unsafe self.handle = handle
    }

    func update(_ bytes: ArraySlice<UInt8>) {
        let isDone = unsafe bytes.withUnsafeBytes { unsafe EVP_DigestUpdate(handle, $0.baseAddress, $0.count) }
        precondition(isDone == 1, "out of memory")
    }

    func finish(length: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            var written: UInt32 = 0
            let isDone = unsafe EVP_DigestFinal_ex(handle, buffer.baseAddress, &written)
            precondition(isDone == 1 && written == UInt32(length), "out of memory")
            count = length
        }
    }

    deinit {
        unsafe EVP_MD_CTX_free(handle)
    }
}
