internal import Crypto
import FoundationEssentials

/// SHA-2 digests (FIPS 180-4).
///
/// They are swift-crypto's, which is faster than OpenSSL 3 for the few hundred bytes that evidence hashes at a time: there
/// an algorithm is looked up and a context made for each digest.
public enum Digest {
    /// SHA-256 of the concatenation of some parts, 32 bytes.
    public static func sha256(_ parts: ArraySlice<UInt8>...) -> [UInt8] {
        hash(parts, SHA256())
    }

    /// SHA-256, 32 bytes.
    public static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        hash(CollectionOfOne(bytes[...]), SHA256())
    }

    /// SHA-384 of the concatenation of some parts, 48 bytes.
    public static func sha384(_ parts: ArraySlice<UInt8>...) -> [UInt8] {
        hash(parts, SHA384())
    }

    /// SHA-384, 48 bytes.
    public static func sha384(_ bytes: [UInt8]) -> [UInt8] {
        hash(CollectionOfOne(bytes[...]), SHA384())
    }

    /// SHA-512 of the concatenation of some parts, 64 bytes.
    public static func sha512(_ parts: ArraySlice<UInt8>...) -> [UInt8] {
        hash(parts, SHA512())
    }

    /// SHA-512, 64 bytes.
    public static func sha512(_ bytes: [UInt8]) -> [UInt8] {
        hash(CollectionOfOne(bytes[...]), SHA512())
    }

    /// SHA-256 of the concatenation of some parts, of which there may be any number.
    static func sha256(concatenating parts: some Collection<ArraySlice<UInt8>>) -> [UInt8] {
        hash(parts, SHA256())
    }

    private static func hash(
        _ parts: some Collection<ArraySlice<UInt8>>, _ function: some HashFunction
    ) -> [UInt8] {
        var function = function
        for part in parts { unsafe part.withUnsafeBytes { unsafe function.update(bufferPointer: $0) } }
        return unsafe function.finalize().withUnsafeBytes { unsafe Array($0) }
    }
}
