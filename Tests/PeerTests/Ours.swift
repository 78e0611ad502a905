import AssayCore
import AssayPrimitives
import Foundation

/// Our own opening of JOSE objects, with the keys in the forms in which peers take them.
enum Ours {
    /// The plaintext of a JWE, and nil when it is refused.
    static func open(jwe: String, _ algorithm: String, key: [UInt8]) throws -> [UInt8]? {
        let secret = SecretBytes(key)
        let key = algorithm == "A256KW" ? try JWEKey.a256KW(secret) : try JWEKey.a256GCMKW(secret)
        return try? key.decrypt(CompactJWE(Array(jwe.utf8), limit: InputLimits.joseText))
    }

    /// The payload of a JWS, and nil when it is refused.
    static func verify(jws: String, _ algorithm: String, _ key: Peer.Key) throws -> [UInt8]? {
        let key = try jwsKey(algorithm, key)
        guard let jws = try? CompactJWS(Array(jws.utf8), limit: InputLimits.joseText),
            (try? key.verify(jws)) != nil
        else { return nil }
        return jws.payload
    }

    private static func jwsKey(_ algorithm: String, _ key: Peer.Key) throws -> JWSKey {
        switch key {
        case .secret(let bytes): return try JWSKey.hs256(SecretBytes(bytes))
        case .pem(let text):
            let base64 = text.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
            guard let data = Data(base64Encoded: base64) else { throw Peer.Failure(description: "no PEM: \(text)") }
            let info = Array(data)
            return algorithm == "ES256"
                ? try JWSKey.es256(ECDSAPublicKey(subjectPublicKeyInfo: info[...]))
                : JWSKey.rs256(try RSAPublicKey(subjectPublicKeyInfo: info[...]))
        }
    }
}
