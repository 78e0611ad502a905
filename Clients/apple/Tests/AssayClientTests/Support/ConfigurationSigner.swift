import Crypto
import Foundation

@testable import AssayClient

/// A service that signs configurations.
struct ConfigurationSigner: Sendable {
    let key = P256.Signing.PrivateKey()
    var kid = "tokens-1"

    var jwk: [String: Any] {
        PublicPoint(bytes: key.publicKey.x963Representation).members.merging(["kid": kid, "alg": "ES256"]) { $1 }
    }

    /// The pin of a public key's SubjectPublicKeyInfo.
    static func pin(_ key: Data) -> [String: Any] { ["pin": key.sha256.base64EncodedString()] }

    /// - Parameters:
    ///   - pins: by host.
    ///   - change: other members; NSNull removes one.
    func sign(
        _ version: Int, pins: [String: [[String: Any]]] = [:], header: [String: Any] = [:],
        _ change: [String: Any] = [:]
    ) throws -> String {
        var claims: [String: Any] = [
            "iss": "https://attest.example.com", "aud": "shop-ios", "iat": 1_790_000_000, "version": version,
            "force": 0, "pins": pins, "keys": [jwk],
        ]
        claims.merge(change) { $1 }
        claims = claims.filter { !($0.value is NSNull) }
        let head: [String: Any] = ["typ": "assay-configuration+jwt", "alg": "ES256", "kid": kid].merging(header) { $1 }
        let parts = try [head, claims].map { try JSONSerialization.data(withJSONObject: $0).base64URL }
        let input = parts.joined(separator: ".")
        return input + "." + (try key.signature(for: Data(input.utf8)).rawRepresentation.base64URL)
    }

    /// A mode that an operator has set for a device.
    static func mode(_ mode: String, device: String, ends: Int) -> [String: Any] {
        ["mode": mode, "did": device, "iat": ends - 3600, "exp": ends]
    }
}
