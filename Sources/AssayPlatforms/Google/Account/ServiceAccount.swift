public import AssayCore

/// A Google service account for calls of the Play Integrity API, read from its key file.
///
/// It must belong to the Cloud project linked to the app in the Play Console. Descriptions and errors omit its key.
public struct ServiceAccount: Sendable, CustomStringConvertible {
    /// The maximum size of a key file, in bytes. Google's are about 2,400 bytes long.
    package static let limit = 64 * 1024

    /// The account name, `client_email`: `assay@project.iam.gserviceaccount.com`.
    public let email: String
    /// The ID of the key, `private_key_id`.
    package let keyID: String
    /// The token endpoint, `token_uri`.
    package let tokenURL: ServerURL
    let key: RSAPrivateKey

    /// Reads a key file from the Cloud console: JSON with `type` `service_account`, `client_email`, `private_key`
    /// (PEM), `private_key_id` and `token_uri`. Ignores other members. Wipes copies of the private key.
    ///
    /// - Throws: ``AssayCore/KeyError`` with the name of the member. It contains no part of the key.
    public init(json: SecretBytes) throws(KeyError) {
        let (object, privateKey) = try ServiceAccount.object(json)
        let type = try ServiceAccount.text(object, "type", atMost: 64)
        guard type.isByteEqual(to: "service_account") else {
            throw KeyError(
                "wrong-type", part: "type",
                "expected service_account, found \(type.excerpt); another kind of credential")
        }
        email = try ServiceAccount.text(object, "client_email", atMost: 320)
        guard email.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), email.utf8.contains(UInt8(ascii: "@")) else {
            throw KeyError("malformed", part: "client_email", "expected an address, found \(email.excerpt)")
        }
        keyID = try ServiceAccount.text(object, "private_key_id", atMost: 256)
        let endpoint = try ServiceAccount.text(object, "token_uri", atMost: 2048)
        do {
            tokenURL = try ServerURL(endpoint)
        } catch {
            throw KeyError("malformed", part: "token_uri", "\(error.message), found \(endpoint.excerpt)")
        }
        guard let privateKey else { throw ServiceAccount.absence(of: "private_key", in: object) }
        try ServiceAccount.requireLength(privateKey.count, of: "private_key", atMost: 16 * 1024)
        do {
            key = try RSAPrivateKey(pem: privateKey)
        } catch {
            throw KeyError(error.code, part: "private_key", error.description)
        }
    }

    /// Parses the file. Replaces the messages of the JSON reader, which may quote the file.
    private static func object(
        _ json: SecretBytes
    ) throws(KeyError) -> (object: RecordObject, privateKey: SecretBytes?) {
        guard json.count <= limit else {
            throw KeyError("too-large", part: "", "a key file of \(json.count) bytes, at most \(limit) allowed")
        }
        var bytes = json.withUnsafeBytes { Array($0) }
        defer { SecretBytes.wipe(&bytes) }
        do {
            let (object, withheld) = try JSONReader.readObject(bytes, limit: limit, withholding: ["private_key"])
            return (object, withheld.first?.text)
        } catch {
            throw KeyError(
                "malformed", part: "",
                "expected the JSON file of a service account key; \(error.reason) at byte \(error.offset)")
        }
    }

    private static func text(_ object: RecordObject, _ name: String, atMost limit: Int) throws(KeyError) -> String {
        guard case .text(let text) = object[name]?.content else { throw absence(of: name, in: object) }
        try requireLength(text.utf8.count, of: name, atMost: limit)
        return text
    }

    private static func requireLength(_ found: Int, of name: String, atMost limit: Int) throws(KeyError) {
        guard (1...limit).contains(found) else {
            throw KeyError("unexpected-length", part: name, "expected 1 to \(limit) bytes, found \(found)")
        }
    }

    private static func absence(of name: String, in object: RecordObject) -> KeyError {
        guard let value = object[name] else {
            return KeyError(
                "missing-part", part: name, "the member is missing; expected a service account key")
        }
        return KeyError("unexpected-type", part: name, "expected a string, found \(value.kindName)")
    }

    /// The account name.
    public var description: String { email }
}

extension ServiceAccount: CustomReflectable {
    /// Only the account name and the key ID.
    public var customMirror: Mirror { Mirror(self, children: ["email": email, "keyID": keyID]) }
}
