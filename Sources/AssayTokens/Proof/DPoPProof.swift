import AssayCore

/// A proof that the client has the key of its token (RFC 9449 section 4.2), decoded and not verified.
struct DPoPProof: Sendable {
    /// `typ` of the header.
    static let type = "dpop+jwt"
    /// The maximum length of a proof in characters. A proof with a nonce has about 700.
    static let maximumLength = 4096
    /// The maximum length of `jti` in bytes: a UUID has 36.
    static let maximumIDLength = 256

    private let jws: CompactJWS
    private let key: ECDSAPublicKey
    /// The thumbprint of the key in the header.
    let thumbprint: String
    /// `jti`.
    let proofID: String
    /// `htm`.
    let method: String
    /// `htu`.
    let target: String
    /// `iat`.
    let issuedAt: Double
    /// `exp`; nil for none. RFC 9449 has neither, but a claim that is there counts (RFC 7519 section 4.1).
    let expiresAt: Double?
    /// `nbf`; nil for none.
    let notBefore: Double?
    /// `ath`; nil for none.
    let tokenHash: String?
    /// `nonce`; nil for none.
    let nonce: String?

    /// Decodes a proof: a compact JWS of the type `dpop+jwt`, with ES256 and the public key of P-256 in its header.
    init(_ text: String) throws(CheckFailure) {
        let jws: CompactJWS
        do throws(DecodeError) { jws = try CompactJWS(Array(text.utf8), limit: Self.maximumLength) } catch {
            throw CheckFailure(error)
        }
        guard let type = jws.header.type, type.isByteEqual(to: Self.type) else {
            throw CheckFailure(
                .proofType, "expected typ \(Self.type), found \(jws.header.type.map { "\"\($0.excerpt)\"" } ?? "none")")
        }
        guard jws.header.algorithm.isByteEqual(to: "ES256") else {
            throw CheckFailure(.proofAlgorithm, "expected alg ES256, found \"\(jws.header.algorithm.excerpt)\"")
        }
        self.jws = jws
        key = try Self.key(jws.header)
        thumbprint = JWKThumbprint.p256(key.x963Representation)
        do throws(DecodeError) {
            let claims = ClaimReader(try JSONReader.readObject(jws.payload, limit: Self.maximumLength))
            proofID = try claims.text("jti")
            guard proofID.utf8.count <= Self.maximumIDLength else {
                throw claims.error(.tooLarge, "jti", "expected at most \(Self.maximumIDLength) bytes")
            }
            method = try claims.text("htm")
            target = try claims.text("htu")
            issuedAt = try claims.time("iat")
            expiresAt = try claims.optionalTime("exp")
            notBefore = try claims.optionalTime("nbf")
            tokenHash = try claims.optionalText("ath")
            nonce = try claims.optionalText("nonce")
        } catch {
            throw CheckFailure(error)
        }
    }

    /// The public key of the header. A private or symmetric key is refused, also if the signature fits.
    private static func key(_ header: JOSEHeader) throws(CheckFailure) -> ECDSAPublicKey {
        guard let value = header.object["jwk"], case .object(let object) = value.content else {
            throw CheckFailure(.proofKey, "the header has no object jwk")
        }
        do throws(DecodeError) {
            guard let key = try JSONWebKey(object).key?.p256 else {
                throw DecodeError(.unexpectedValue, at: value.offset, field: "jwk", "expected a public key of P-256")
            }
            return key
        } catch {
            let detail = error.detail
            throw CheckFailure(.proofKey, "expected the public key of P-256 in jwk: \(detail)")
        }
    }

    /// Verifies the signature with the key of the header.
    func verify() throws(CheckFailure) {
        guard key.isValidSignature(p1363: jws.signature, for: jws.signingInput, digest: .sha256) else {
            throw CheckFailure(.signatureInvalid, "the key of the proof did not sign it")
        }
    }
}
