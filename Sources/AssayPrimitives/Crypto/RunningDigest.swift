internal import Crypto

/// A digest of bytes that come in parts, SHA-256 or SHA-512 (FIPS 180-4). A copy goes on by itself.
package struct RunningDigest: Sendable {
    /// A hash function.
    package enum Algorithm: Sendable, CaseIterable {
        /// SHA-256.
        case sha256
        /// SHA-512.
        case sha512
    }

    // One of the two is there. As payloads of an enumeration their contexts would be copied with every update.
    private var sha256: SHA256?
    private var sha512: SHA512?

    /// Begins with no bytes.
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
