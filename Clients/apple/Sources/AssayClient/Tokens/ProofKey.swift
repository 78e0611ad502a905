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
    private enum Place {
        case software(P256.Signing.PrivateKey)
        #if canImport(CryptoKit)
            case enclave(SecureEnclave.P256.Signing.PrivateKey)
        #endif
    }

    private let place: Place

    /// Makes a key.
    init() throws {
        #if canImport(CryptoKit)
            if SecureEnclave.isAvailable {
                guard
                    let access = SecAccessControlCreateWithFlags(
                        nil, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, .privateKeyUsage, nil)
                else { throw StorageFailure("the Secure Enclave's access control") }
                place = .enclave(try SecureEnclave.P256.Signing.PrivateKey(accessControl: access))
                return
            }
        #endif
        place = .software(P256.Signing.PrivateKey())
    }

    /// - Parameter representation: ``representation`` of a key that this device made.
    init(representation: Data) throws {
        let bytes = Data(representation.dropFirst())
        #if canImport(CryptoKit)
            if representation.first == 1 {
                place = .enclave(try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: bytes))
                return
            }
        #endif
        guard representation.first == 0 else { throw StorageFailure("the key is of another device") }
        place = .software(try P256.Signing.PrivateKey(rawRepresentation: bytes))
    }

    /// What is stored: the key of software, or what the Secure Enclave alone can use.
    var representation: Data {
        switch place {
        case .software(let key): [0] + key.rawRepresentation
        #if canImport(CryptoKit)
            case .enclave(let key): [1] + key.dataRepresentation
        #endif
        }
    }

    private var point: Data {
        switch place {
        case .software(let key): key.publicKey.x963Representation
        #if canImport(CryptoKit)
            case .enclave(let key): key.publicKey.x963Representation
        #endif
        }
    }

    /// ECDSA over SHA-256, `r` and `s`, 64 bytes.
    func signature(for data: Data) throws -> Data {
        switch place {
        case .software(let key): try key.signature(for: data).rawRepresentation
        #if canImport(CryptoKit)
            case .enclave(let key): try key.signature(for: data).rawRepresentation
        #endif
        }
    }

    /// The public key as a JSON Web Key with its members in the order of RFC 7638.
    var jwk: String {
        let point = point
        return #"{"crv":"P-256","kty":"EC","x":"\#(Data(point.dropFirst().prefix(32)).base64URL)","#
            + #""y":"\#(Data(point.suffix(32)).base64URL)"}"#
    }

    /// The thumbprint `jkt` (RFC 7638), base64url.
    var thumbprint: String { jwk.sha256.base64URL }

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
        let header = Data(#"{"typ":"dpop+jwt","alg":"ES256","jwk":\#(jwk)}"#.utf8)
        let input = header.base64URL + "." + payload.base64URL
        return input + "." + (try signature(for: Data(input.utf8))).base64URL
    }
}
