import AssayPrimitives
package import FoundationEssentials

/// A token of the type `assay+jwt` to mint with a test key, and the request that presents it. The initial values are valid; change any
/// part before minting.
///
///     let key = TestKey(...), client = TestKey(...)
///     var blueprint = AssayTokenBlueprint(key: key, client: client, issuer: ..., audience: ..., app: "shop", issuedAt: now)
///     blueprint.proof.claims["htm"] = "POST"
///     let request = try blueprint.mint()
public struct AssayTokenBlueprint: Sendable {
    package var token: JWSBlueprint
    /// The claims of the token.
    public var claims: JSONItem
    /// The proof of the client's key.
    package var proof: JWSBlueprint
    /// The claims of the proof; without `ath`, the minted token decides it.
    package var proofClaims: JSONItem
    /// Whether the proof gets the digest of the minted token as `ath`.
    package var hasTokenHash = true
    /// The scheme of the field `Authorization`.
    package var scheme = "DPoP"
    /// The request.
    public var method = "GET"
    /// The target URI that the client addressed.
    public var targetURI = "https://api.example.com/v1/items?a=1"
    /// A last change to the fields of the request.
    package var changeFields: @Sendable (inout [(name: String, value: String)]) -> Void = { _ in }

    /// Creates the blueprint of a valid token, bound to a client's key, and of a request with it.
    ///
    /// - Parameters:
    ///   - key: the issuer's key on P-256.
    ///   - client: the client's key on P-256.
    ///   - id: the ID of token and proof.
    package init(
        key: TestKey, client: TestKey, issuer: String, audience: String, app: String, id: String, issuedAt: Date
    ) {
        let time = Int64(issuedAt.timeIntervalSince1970)
        claims = [
            "iss": .text(issuer), "aud": .text(audience), "sub": .text("pseudonym-of-\(id)"),
            "iat": .integer(time), "exp": .integer(time + 300), "jti": .text("token-\(id)"), "app": .text(app),
            "att": ["kind": "app-attest.assertion", "at": .integer(time), "annotated": []],
            "cnf": ["jkt": .text(JWKThumbprint.p256(client.publicPoint))],
        ]
        token = JWSBlueprint(payload: [], signer: .es256(key))
        token.header["kid"] = .text(JWKThumbprint.p256(key.publicPoint))
        token.header["typ"] = "assay+jwt"
        proof = JWSBlueprint(payload: [], signer: .es256(client))
        proof.header["typ"] = "dpop+jwt"
        proof.header["jwk"] = Self.jwk(client)
        proofClaims = [
            "jti": .text("proof-\(id)"), "htm": "GET", "htu": "https://api.example.com/v1/items",
            "iat": .integer(time),
        ]
    }

    /// The public JSON Web Key of a key on P-256.
    package static func jwk(_ key: TestKey, keyID: String? = nil) -> JSONItem {
        let (x, y) = JWKThumbprint.coordinates(key.publicPoint)
        var item: JSONItem = ["kty": "EC", "crv": "P-256", "x": .text(x), "y": .text(y)]
        if let keyID { item["kid"] = .text(keyID) }
        return item
    }

    /// The JSON Web Key Set of issuers' keys.
    package static func keySet(_ keys: [TestKey]) -> String {
        let items = keys.map { key in
            var item = jwk(key, keyID: JWKThumbprint.p256(key.publicPoint))
            item["use"] = "sig"
            item["alg"] = "ES256"
            return item
        }
        return JSONItem.object(["keys": .array(items)]).text
    }

    /// Mints token, proof and request.
    package func mint() throws(MintingError) -> MintedTokenRequest {
        var token = token
        token.payload = claims.encoded
        let text = try token.mint()
        var (proof, proofClaims) = (proof, proofClaims)
        if hasTokenHash, proofClaims["ath"] == nil {
            proofClaims["ath"] = .text(Base64URL.text(sha256(Array(text.utf8))))
        }
        proof.payload = proofClaims.encoded
        var fields = [
            (name: "Host", value: "api.example.com"), (name: "Authorization", value: "\(scheme) \(text)"),
            (name: "DPoP", value: try proof.mint()),
        ]
        changeFields(&fields)
        return MintedTokenRequest(token: text, method: method, targetURI: targetURI, fields: fields)
    }
}
