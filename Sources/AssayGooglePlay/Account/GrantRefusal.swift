import AssayCore
import AssayPrimitives
import PlayIntegrity

/// The error of a token endpoint, RFC 6749 section 5.2: `{"error": "invalid_grant", "error_description": "..."}`.
struct GrantRefusal: CustomStringConvertible {
    /// What the endpoint says, quoted with care.
    let description: String

    /// Reads the body of an error, and gives nil when it is none of a token endpoint.
    init?(_ body: [UInt8]) {
        guard let object = try? JSONReader.readObject(body, limit: 64 * 1024),
            case .text(let code) = object["error"]?.content
        else { return nil }
        if case .text(let sentence) = object["error_description"]?.content {
            description = "\(ServerText.quote(code)): \(ServerText.quote(sentence))"
        } else {
            description = ServerText.quote(code)
        }
    }
}
