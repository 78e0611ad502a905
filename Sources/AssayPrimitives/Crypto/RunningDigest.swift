internal import Crypto

/// An incremental SHA-256 or SHA-512 digest (FIPS 180-4). Copies are independent.
package struct RunningDigest: Sendable {
    /// A hash function.
    package enum Algorithm: Sendable, CaseIterable {
        case sha256
        /// SHA-512.
        case sha512
    }

    // Exactly one is non-nil. Enum payloads would be copied with every update.
    private var sha256: SHA256?
    private var sha512: SHA512?

    package init(_ algorithm: Algorithm) {
        switch algorithm {
        case .sha256: sha256 = SHA256()
        case .sha512: sha512 = SHA512()
        }
    }

    /// Adds the next part.
    package mutating func update(_ part: RawSpan) {
        unsafe part.withUnsafeBytes { unsafe update($0) }
    }

    /// Adds the next part.
    package mutating func update(_ part: ArraySlice<UInt8>) {
        unsafe part.withUnsafeBytes { unsafe update($0) }
    }

    private mutating func update(_ part: UnsafeRawBufferPointer) {
        unsafe sha256?.update(bufferPointer: part)
        unsafe sha512?.update(bufferPointer: part)
    }

    /// The digest of all parts so far. More may follow.
    package func finalize() -> [UInt8] {
        if let sha512 { return unsafe sha512.finalize().withUnsafeBytes { unsafe Array($0) } }
        return unsafe (sha256 ?? SHA256()).finalize().withUnsafeBytes { unsafe Array($0) }
    }
}
