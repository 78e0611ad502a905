import Foundation

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

extension Data {
    /// base64url without padding (RFC 4648 section 5).
    var base64URL: String {
        base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    /// SHA-256, 32 bytes.
    var sha256: Data { Data(SHA256.hash(data: self)) }
}

extension String {
    /// SHA-256 of the text in UTF-8, 32 bytes.
    var sha256: Data { Data(utf8).sha256 }
}
