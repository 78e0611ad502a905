import AssayCore
import AssayPrimitives

/// An access token, RFC 6750: whoever has it may call in the account's name. It shows up in no text but its own header.
struct AccessToken: Sendable {
    private let bytes: SecretBytes
    /// When a new one is due, in ``ClientTime/uptime``: shortly before it expires, so that it does not on its way.
    let renewal: Duration
    /// Tells it from others, without looking at it.
    let serial: Int

    /// The field `Authorization` that presents the token. The copy lives as long as its request, and cannot be wiped.
    var authorization: String {
        bytes.withUnsafeBytes { "Bearer " + String(decoding: $0, as: UTF8.self) }
    }

    /// Takes a token from the answer of a token endpoint, RFC 6749 section 5.1.
    ///
    /// - Parameters:
    ///   - body: the answer.
    ///   - received: when it came.
    /// - Throws: ``Unusable``, which says what is wrong and shows nothing of the token.
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
        // A token of which nobody knows how long it lasts would be found out by failing.
        guard case .number(let digits) = object["expires_in"]?.content, let lifetime = Int(digits),
            (1...AccessToken.lifetime).contains(lifetime)
        else { throw Unusable(reason: "no expires_in of 1 to \(AccessToken.lifetime) seconds") }
        bytes = SecretBytes(token.utf8)
        renewal = received + .seconds(lifetime) - .seconds(min(60, Double(lifetime) / 10))
        self.serial = serial
    }

    /// How many bytes an answer may have. Google's tokens have about 1,000.
    private static let limit = 64 * 1024
    /// How many seconds a token may last. Google's last an hour, and twelve where an organisation allows it.
    private static let lifetime = 86_400

    /// An answer that has no token.
    struct Unusable: Error {
        /// What the answer has not.
        let reason: String
    }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "(access token \(serial))" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
