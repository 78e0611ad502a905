import Crypto
import Foundation

@testable import AssayClient

/// The service's side of runtime secrets: values sealed for the key of the request.
struct SecretSealer {
    /// Stands in each value.
    var number = 1
    var life = 3600
    /// Other members of the header and of the content.
    var header: [String: Any] = [:]
    var content: [String: Any] = [:]

    /// The answer to the body of a request.
    func answer(to body: Data) -> String? {
        guard let wanted = try? JSONSerialization.jsonObject(with: body) as? [String: Any],
            let names = wanted["names"] as? [String], let jwk = wanted["jwk"] as? [String: String],
            let sealed = try? seal(names, wanted["challenge"] as? String ?? "", jwk)
        else { return nil }
        return #"{"secrets": "\#(sealed)", "expiresIn": \#(life)}"#
    }

    func seal(_ names: [String], _ challenge: String, _ jwk: [String: String]) throws -> String {
        let values = Dictionary(uniqueKeysWithValues: names.map { ($0, "canary \($0) \(number)") })
        let members: [String: Any] = [
            "secrets": values, "challenge": challenge, "app": "shop-ios", "iat": 1000, "exp": 1000 + life,
        ].merging(content) { $1 }
        let own = P256.KeyAgreement.PrivateKey()
        let point = [4] + (Data(base64URL: jwk["x"] ?? "") ?? Data()) + (Data(base64URL: jwk["y"] ?? "") ?? Data())
        let shared = try own.sharedSecretFromKeyAgreement(with: .init(x963Representation: point))
        let head: [String: Any] = [
            "alg": "ECDH-ES", "enc": "A256GCM", "typ": "assay-secrets",
            "epk": PublicPoint(bytes: own.publicKey.x963Representation).members,
        ].merging(header) { $1 }
        // RFC 7518 section 4.6.2, by its appendix C: a round, Z, the algorithm with its length, no parties, 256 bits.
        let info: [UInt8] = [0, 0, 0, 7] + Array("A256GCM".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]
        let key = SHA256.hash(data: [0, 0, 0, 1] + shared.withUnsafeBytes { Array($0) } + info)
        let protected = try JSONSerialization.data(withJSONObject: head).base64URL
        let box = try AES.GCM.seal(
            JSONSerialization.data(withJSONObject: members), using: SymmetricKey(data: key),
            authenticating: Data(protected.utf8))
        return [protected, "", Data(box.nonce).base64URL, box.ciphertext.base64URL, box.tag.base64URL]
            .joined(separator: ".")
    }
}
