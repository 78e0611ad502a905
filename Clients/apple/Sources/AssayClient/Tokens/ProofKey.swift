import Foundation

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif
#if canImport(Security)
    import Security
#endif

/// The key on P-256 to which tokens are bound: in the Secure Enclave where there is one, in software elsewhere.
struct ProofKey {
    /// What is stored: 0 and the key of software, or 1 and what the Secure Enclave of this device alone can use.
    let representation: Data
    private let point: PublicPoint
    private let sign: (Data) throws -> Data

    private init(_ key: P256.Signing.PrivateKey) {
        representation = [0] + key.rawRepresentation
        point = PublicPoint(bytes: key.publicKey.x963Representation)
        sign = { try key.signature(for: $0).rawRepresentation }
    }

    #if canImport(CryptoKit)
        private init(_ key: SecureEnclave.P256.Signing.PrivateKey) {
            representation = [1] + key.dataRepresentation
            point = PublicPoint(bytes: key.publicKey.x963Representation)
            sign = { try key.signature(for: $0).rawRepresentation }
        }
    #endif

    /// Makes a key.
    init() throws {
        #if canImport(CryptoKit)
            let access = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, .privateKeyUsage, nil)
            if SecureEnclave.isAvailable, let access {
                self.init(try SecureEnclave.P256.Signing.PrivateKey(accessControl: access))
                return
            }
        #endif
        self.init(P256.Signing.PrivateKey())
    }

    /// - Parameter representation: ``representation`` of a key that this device made.
    init(representation: Data) throws {
        let bytes = Data(representation.dropFirst())
        #if canImport(CryptoKit)
            if representation.first == 1 {
                self.init(try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: bytes))
                return
            }
        #endif
        guard representation.first == 0 else { throw StorageFailure("the key is of another device") }
        self.init(try P256.Signing.PrivateKey(rawRepresentation: bytes))
    }

    /// ECDSA over SHA-256, `r` and `s`, 64 bytes.
    func signature(for data: Data) throws -> Data { try sign(data) }

    /// The thumbprint `jkt` (RFC 7638), base64url.
    var thumbprint: String { point.thumbprint }

    /// A DPoP proof (RFC 9449 section 4.2).
    ///
    /// - Parameters:
    ///   - method: of the request.
    ///   - url: normalised; query and fragment are left out.
    ///   - token: the access token that the request carries.
    ///   - issued: seconds since 1970 by the server's clock.
    ///   - nonce: of the field `DPoP-Nonce`; nil without one.
    func proof(method: String, url: URL, token: String, issued: Int, nonce: String?) throws -> String {
        var claims: [String: Any] = [
            "htm": method, "htu": url.absoluteString.prefix { $0 != "?" && $0 != "#" }.description, "iat": issued,
            "jti": UUID().uuidString, "ath": token.sha256.base64URL,
        ]
        claims["nonce"] = nonce
        let payload = try JSONSerialization.data(
            withJSONObject: claims, options: [.sortedKeys, .withoutEscapingSlashes])
        let header = Data(#"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(point.jwk)}"#.utf8)
        let input = header.base64URL + "." + payload.base64URL
        return input + "." + (try signature(for: Data(input.utf8))).base64URL
    }
}
