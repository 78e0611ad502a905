import AssayPrimitives
import AssayTesting

/// The text of tokens.
enum TokenMint {
    /// A compact JWS over any header and payload.
    static func jws(_ header: [UInt8], _ payload: [UInt8], sign: ([UInt8]) -> [UInt8]) -> [UInt8] {
        let input = Array("\(Base64.encode(header, .url)).\(Base64.encode(payload, .url))".utf8)
        return input + Array(".\(Base64.encode(sign(input), .url))".utf8)
    }

    /// A compact JWE. The content key and the IV are the same in every JWE: fuzzing needs no confidentiality.
    static func jwe(
        _ header: JSONItem?, _ plaintext: [UInt8], _ keyManagement: JWEBlueprint.KeyManagement
    ) -> String? {
        var blueprint = JWEBlueprint(
            plaintext: plaintext, keyManagement: keyManagement, contentKey: contentKey,
            initializationVector: [UInt8](repeating: 7, count: 12))
        if let header { blueprint.header = header }
        return try? blueprint.mint()
    }

    private static let contentKey = Digest.sha256(Array("fuzz content key".utf8))
}
