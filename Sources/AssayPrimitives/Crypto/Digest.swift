internal import Crypto
import FoundationEssentials

/// SHA-2 digests (FIPS 180-4): SHA-256 with ``SHA256Sum``, the others with swift-crypto.
package enum Digest {
    /// SHA-256 of the concatenation of the parts, 32 bytes.
    package static func sha256(_ parts: ArraySlice<UInt8>...) -> [UInt8] {
        sha256(concatenating: parts)
    }

    /// SHA-256, 32 bytes.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        sha256(concatenating: CollectionOfOne(bytes[...]))
    }

    /// SHA-384 of the concatenation of the parts, 48 bytes.
    package static func sha384(_ parts: ArraySlice<UInt8>...) -> [UInt8] {
        hash(parts, SHA384.self)
    }

    /// SHA-384, 48 bytes.
    package static func sha384(_ bytes: [UInt8]) -> [UInt8] {
        hash(CollectionOfOne(bytes[...]), SHA384.self)
    }

    /// SHA-512 of the concatenation of the parts, 64 bytes.
    package static func sha512(_ parts: ArraySlice<UInt8>...) -> [UInt8] {
        hash(parts, SHA512.self)
    }

    /// SHA-512, 64 bytes.
    package static func sha512(_ bytes: [UInt8]) -> [UInt8] {
        hash(CollectionOfOne(bytes[...]), SHA512.self)
    }

    /// SHA-256 of the concatenation of a collection of parts.
    static func sha256(concatenating parts: some Collection<ArraySlice<UInt8>>) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: SHA256Sum.length) { buffer, count in
            var sum = SHA256Sum()
            for part in parts { unsafe part.withUnsafeBytes { unsafe sum.update($0) } }
            unsafe sum.finish(into: UnsafeMutableRawBufferPointer(buffer))
            count = SHA256Sum.length
        }
    }

    private static func hash<Function: HashFunction>(
        _ parts: some Collection<ArraySlice<UInt8>>, _: Function.Type
    ) -> [UInt8] {
        // Created here: if the caller also held it, the first update would copy it.
        var function = Function()
        for part in parts { unsafe part.withUnsafeBytes { unsafe function.update(bufferPointer: $0) } }
        return unsafe function.finalize().withUnsafeBytes { unsafe Array($0) }
    }
}
