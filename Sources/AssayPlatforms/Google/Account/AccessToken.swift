import AssayCore

/// An OAuth access token (RFC 6750). Descriptions do not contain it.
struct AccessToken: Sendable {
    private let bytes: SecretBytes
    /// When to replace it, in ``ClientTime/uptime``: shortly before it expires.
    let renewal: Duration
    let serial: Int

    /// The value of the `Authorization` field. This copy lives as long as the request and cannot be wiped.
    var authorization: String {
        bytes.withUnsafeBytes { "Bearer " + String(decoding: $0, as: UTF8.self) }
    }

    /// Parses the answer of a token endpoint (RFC 6749 section 5.1), `received` in ``ClientTime/uptime``. No error contains a part of
    /// it.
    init(answer body: [UInt8], received: Duration, serial: Int) throws(Unusable) {
        let object: RecordObject
        do {
            object = try JSONReader.readObject(body, limit: AccessToken.limit)
        } catch {
            throw Unusable(reason: "no JSON object (\(error.reason) at byte \(error.offset))")
        }
        guard case .text(let type) = object["token_type"]?.content, type.lowercased().isByteEqual(to: "bearer") else {
            throw Unusable(reason: "no token of the type Bearer")
        }
        guard case .text(let token) = object["access_token"]?.content, !token.utf8.isEmpty,
            token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw Unusable(reason: "no access_token of printable ASCII") }
        // Required here: otherwise only a failed call would reveal the expiry.
        guard case .number(let digits) = object["expires_in"]?.content, let lifetime = Int(digits),
            (1...AccessToken.lifetime).contains(lifetime)
        else { throw Unusable(reason: "no expires_in of 1 to \(AccessToken.lifetime) seconds") }
        bytes = SecretBytes(token.utf8)
        renewal = received + .seconds(lifetime) - .seconds(min(60, Double(lifetime) / 10))
        self.serial = serial
    }

    /// The maximum size of an answer, in bytes. Google's tokens are about 1,000 bytes long.
    private static let limit = 64 * 1024
    /// The maximum lifetime, in seconds. Google's tokens last an hour, or twelve if an organisation allows it.
    private static let lifetime = 86_400

    /// An answer without a usable token.
    struct Unusable: Error {
        /// What is missing or malformed.
        let reason: String
    }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "(access token \(serial))" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
