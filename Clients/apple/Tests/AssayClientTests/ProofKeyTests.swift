import Crypto
import Foundation
import Testing

@testable import AssayClient

/// The key of tokens and its proofs (RFC 9449).
struct ProofKeyTests {
    private func decoded(_ part: Substring) throws -> Data {
        var text = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        while text.count % 4 != 0 { text += "=" }
        return try #require(Data(base64Encoded: text))
    }

    /// A proof names method, URL without query, token and nonce, and its own public key verifies it.
    @Test func proof() throws {
        let key = try ProofKey()
        let url = try #require(URL(string: "https://api.example.com/v1/orders?id=7"))
        let proof = try key.proof(method: "POST", url: url, token: "token", issued: 1_789_992_000, nonce: "n")
        let parts = proof.split(separator: ".")
        try #require(parts.count == 3)
        let header = try #require(JSONSerialization.jsonObject(with: decoded(parts[0])) as? [String: Any])
        let claims = try #require(JSONSerialization.jsonObject(with: decoded(parts[1])) as? [String: Any])
        #expect(header["typ"] as? String == "dpop+jwt")
        #expect(header["alg"] as? String == "ES256")
        #expect(claims["htm"] as? String == "POST")
        #expect(claims["htu"] as? String == "https://api.example.com/v1/orders")
        #expect(claims["iat"] as? Int == 1_789_992_000)
        #expect(claims["nonce"] as? String == "n")
        #expect(claims["ath"] as? String == "PEaenWxYddN6Q_NT1PiOYfz4EsZu7jRXRlpAsNpBU-A")
        let jwk = try #require(header["jwk"] as? [String: String])
        #expect(Set(jwk.keys) == ["crv", "kty", "x", "y"])
        let point = try Data([4]) + decoded(try #require(jwk["x"])[...]) + decoded(try #require(jwk["y"])[...])
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: decoded(parts[2]))
        let isValid = try P256.Signing.PublicKey(x963Representation: point)
            .isValidSignature(signature, for: Data((parts[0] + "." + parts[1]).utf8))
        #expect(isValid)
        // Each proof is one of its own.
        #expect(try key.proof(method: "POST", url: url, token: "token", issued: 1, nonce: nil) != proof)
    }

    /// A key comes back from the storage as the same key; another text is none.
    @Test func stored() throws {
        let key = try ProofKey()
        let again = try ProofKey(representation: key.representation)
        #expect(again.thumbprint == key.thumbprint)
        #expect(key.thumbprint.count == 43)
        #expect(throws: (any Error).self) { try ProofKey(representation: Data([7, 1])) }
        #expect(throws: (any Error).self) { try ProofKey(representation: Data()) }
        #if ASSAY_CLIENT_STUBS
            #expect(key.representation.first == 1)
            let software = try ProofKey(representation: [0] + P256.Signing.PrivateKey().rawRepresentation)
            #expect(software.thumbprint != key.thumbprint)
            #expect(try software.signature(for: Data([1])).count == 64)
            #expect(software.representation.first == 0)
        #endif
    }
}
