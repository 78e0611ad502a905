internal import COpenSSL

/// A running SHA-256 (FIPS 180-4), which takes no memory but its own.
///
/// OpenSSL's function and not one of its EVP interface: that makes two allocations for each digest and counts a reference
/// that all threads share. Nor swift-crypto's, which makes one, and checks and copies more than once what a digest of
/// evidence hashes in a tenth of a microsecond.
@safe struct SHA256Sum: ~Copyable {
    /// How many bytes a digest has.
    static let length = 32

    private var context = SHA256_CTX()

    /// Begins with no bytes.
    init() {
        unsafe assay_sha256_begin(&context)
    }

    /// Adds the next bytes.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard unsafe !bytes.isEmpty else { return }
        unsafe assay_sha256_update(&context, bytes.baseAddress, bytes.count)
    }

    /// Writes the digest into 32 bytes, and wipes what is left of what was hashed.
    consuming func finish(into digest: UnsafeMutableRawBufferPointer) {
        precondition(digest.count == SHA256Sum.length)
        unsafe assay_sha256_finish(&context, digest.assumingMemoryBound(to: UInt8.self).baseAddress)
    }
}
