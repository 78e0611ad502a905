import AssayTesting
import Foundation

/// Random keys and payloads, whose sizes are spread over the orders of magnitude.
enum Samples {
    static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255) } }

    /// Up to 20 000 bytes, so that what is encoded twice stays below the limit of JOSE texts.
    static func payload() -> [UInt8] {
        bytes(Int.random(in: 0...[0, 1, 16, 64, 256, 1_024, 4_096, 20_000][Int.random(in: 0..<8)]))
    }

    /// A P-256 key with its public half in PEM.
    static func signingKey() -> (key: TestKey, verification: Peer.Key) {
        let key = TestKey(.p256)
        let base64 = PlayIntegrityTestKeys(decryptionKey: [], signingKey: key).verificationKeyFile
        return (key, .pem("-----BEGIN PUBLIC KEY-----\n\(base64)-----END PUBLIC KEY-----\n"))
    }

    /// The token with one random bit turned in what one part stands for, for each part that is not empty.
    static func mutations(of token: String) throws -> [String] {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return try parts.indices.filter { !parts[$0].isEmpty }.map { index in
            var bytes = try Base64URL.bytes(parts[index])
            bytes[Int.random(in: 0..<bytes.count)] ^= 1 << UInt8.random(in: 0..<8)
            var changed = parts
            changed[index] = Base64URL.text(bytes)
            return changed.joined(separator: ".")
        }
    }
}

extension Base64URL {
    /// What a text without padding stands for.
    fileprivate static func bytes(_ text: String) throws -> [UInt8] {
        let padded = standardAlphabet(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
        guard let data = Data(base64Encoded: padded) else { throw Peer.Failure(description: "no base64url: \(text)") }
        return Array(data)
    }
}
