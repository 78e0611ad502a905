internal import COpenSSL

/// An incremental SHA-256 (FIPS 180-4) without heap allocation. Uses OpenSSL's low-level functions: the EVP interface
/// allocates twice for each digest and counts a reference that all threads share; swift-crypto allocates once.
@safe struct SHA256Sum: ~Copyable {
    /// The length of a digest in bytes.
    static let length = 32

    private var context = SHA256_CTX()

    init() {
        unsafe assay_sha256_begin(&context)
    }

    /// Adds the next bytes.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard unsafe !bytes.isEmpty else { return }
        unsafe assay_sha256_update(&context, bytes.baseAddress, bytes.count)
    }

    /// Writes the digest into 32 bytes, and wipes the state.
    consuming func finish(into digest: UnsafeMutableRawBufferPointer) {
        precondition(digest.count == SHA256Sum.length)
        unsafe assay_sha256_finish(&context, digest.assumingMemoryBound(to: UInt8.self).baseAddress)
    }
}
