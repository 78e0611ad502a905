/// The protected header of a JWS or JWE in compact serialisation (RFC 7515 section 4, RFC 7516 section 4). A class,
/// because tokens of one issuer share a header; copying a token then counts one reference.
///
/// The header is a claim of the sender and never selects an algorithm: the verifier compares ``algorithm`` with the
/// key's. Embedded or referenced keys and certificates (`jwk`, `jku`, `x5c`, `x5u`) are never used.
package final class JOSEHeader: Sendable {
    /// `alg`: the algorithm of the signature or of the key encryption.
    package let algorithm: String
    /// `enc`: the content encryption of a JWE.
    package let encryption: String?
    /// `kid`: the ID of the sender's key.
    package let keyID: String?
    /// `typ`: the media type of the token.
    package let type: String?
    /// All parameters. Offsets refer to the decoded header.
    package let object: RecordObject

    /// Unsupported parameters, which would change how the token is read: critical extensions (RFC 7515 section 4.1.11),
    /// compression, which allows decompression bombs (RFC 7516 section 4.1.3), and unencoded payloads (RFC 7797).
    private static let refused = ["crit", "zip", "b64"]

    /// Reads a header from base64url text: one JSON object with unique keys, including `alg`.
    /// - Throws: ``DecodeError`` with the given field, at an index of `text`.
    convenience init(_ text: ArraySlice<UInt8>, field: String) throws(DecodeError) {
        do throws(DecodeError) {
            guard text.count <= InputLimits.joseHeader else {
                throw DecodeError(
                    .tooLarge, at: text.startIndex + InputLimits.joseHeader,
                    "\(text.count) characters, at most \(InputLimits.joseHeader) are allowed")
            }
            try self.init(json: Base64.decode(text, .url), startingAt: text.startIndex)
        } catch {
            throw error.within(field)
        }
    }

    private convenience init(json: [UInt8], startingAt start: Int) throws(DecodeError) {
        do throws(DecodeError) {
            try self.init(object: JSONReader.readObject(json, limit: InputLimits.joseHeader))
        } catch {
            // Four base64 characters encode three bytes.
            throw DecodeError(error.reason, at: start + error.offset * 4 / 3, field: error.field, error.message)
        }
    }

    private init(object: RecordObject) throws(DecodeError) {
        var algorithm: String?
        var encryption: String?
        var keyID: String?
        var type: String?
        for member in object.members {
            if member.name.isByteEqual(to: "alg") {
                algorithm = try JOSEHeader.text(member)
            } else if member.name.isByteEqual(to: "enc") {
                encryption = try JOSEHeader.text(member)
            } else if member.name.isByteEqual(to: "kid") {
                keyID = try JOSEHeader.text(member)
            } else if member.name.isByteEqual(to: "typ") {
                type = try JOSEHeader.text(member)
            } else if JOSEHeader.refused.containsBytes(of: member.name) {
                throw DecodeError(
                    .unexpected, at: member.offset, field: member.name, "the header parameter is not allowed")
            }
        }
        guard let algorithm else {
            throw DecodeError(.missing, at: object.offset, field: "alg", "the header names no algorithm")
        }
        (self.algorithm, self.encryption, self.keyID) = (algorithm, encryption, keyID)
        (self.type, self.object) = (type, object)
    }

    private static func text(_ member: RecordObject.Member) throws(DecodeError) -> String {
        guard case .text(let text) = member.value.content else {
            throw DecodeError(
                .unexpectedType, at: member.value.offset, field: member.name,
                "expected a string, found \(member.value.kindName)")
        }
        return text
    }
}
