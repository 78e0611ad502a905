internal import Crypto
internal import FoundationEssentials

/// A SHA-256 digest in the form that swift-crypto verifies signatures over.
struct SHA256Value: Crypto.Digest {
    static let byteCount = SHA256Sum.length

    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// Hashes a message.
    init(of message: ArraySlice<UInt8>) {
        unsafe withUnsafeMutableBytes(of: &words) { digest in
            var sum = SHA256Sum()
            unsafe message.withUnsafeBytes { unsafe sum.update($0) }
            unsafe sum.finish(into: digest)
        }
    }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe Swift.withUnsafeBytes(of: words) { try unsafe body($0) }
    }

    static func == (left: SHA256Value, right: SHA256Value) -> Bool { left.words == right.words }

    func hash(into hasher: inout Hasher) { unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) } }

    /// Does not show the digest, because the message may be secret.
    var description: String { "SHA-256 digest" }
}
