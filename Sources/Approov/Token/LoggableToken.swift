package import AssayCore

/// A loggable token (Approov, Loggable Tokens): the claims as JSON, and the first six characters of the signature in
/// `sip`. White space, member order and escapes may differ from the signed text.
package struct LoggableToken {
    /// The number of signature characters. Fewer would be guessable.
    package static let signaturePrefixLength = 6
    private static let header = Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)

    /// The claims without `sip`.
    package let claims: RecordObject
    /// The prefix of the signature, base64url.
    let signaturePrefix: [UInt8]
    /// The rebuilt signing input: the header that Approov writes, and the claims sorted by name without white space.
    let signingInput: [UInt8]

    /// Reads a loggable token; throws ``DecodeError``, also for a text that states why there is no token.
    package init(_ text: String) throws(DecodeError) {
        let object = try JSONReader.readObject(Array(text.utf8), limit: InputLimits.joseText)
        if case .text(let status)? = object["error"]?.content, object["sip"] == nil {
            let meaning = ApproovStatusWord(bytes: Array(status.utf8)[...])?.meaning
            let known =
                status.isByteEqual(to: "JWE") ? "the token is encrypted, of which there is no loggable form" : meaning
            throw DecodeError(
                .unexpectedValue, at: object.offset, field: "error",
                "there was no token: \(status.excerpt)\(known.map { ", which says that \($0)" } ?? "")")
        }
        guard let sip = object["sip"] else {
            throw DecodeError(.missing, at: object.offset, field: "sip", "the beginning of the signature is missing")
        }
        guard case .text(let prefix) = sip.content else {
            throw DecodeError(
                .unexpectedType, at: sip.offset, field: "sip", "expected a string, found \(sip.kindName)")
        }
        guard prefix.utf8.count == Self.signaturePrefixLength, prefix.utf8.allSatisfy(Self.isBase64URL) else {
            throw DecodeError(
                .unexpectedLength, at: sip.offset, field: "sip",
                "expected \(Self.signaturePrefixLength) characters of base64url, found \"\(prefix.excerpt)\"")
        }
        let members = object.members.filter { !$0.name.isByteEqual(to: "sip") }
        claims = RecordObject(members, offset: object.offset)
        signaturePrefix = Array(prefix.utf8)
        var payload: [UInt8] = []
        RecordJSON.append(Self.sorted(.object(claims)), to: &payload)
        signingInput =
            Array(Base64.encode(Self.header, .url).utf8) + [0x2E] + Array(Base64.encode(payload, .url).utf8)
    }

    /// The word in a text `{"error": "..."}`; nil for another text or word. An encrypted token has no loggable form, so that an app
    /// which sends this text has the token, and does not send it.
    static func errorWord(of text: ArraySlice<UInt8>) -> ApproovStatusWord? {
        guard let object = try? JSONReader.readObject(Array(text), limit: InputLimits.joseText),
            case .text(let word)? = object["error"]?.content
        else { return nil }
        return word.isByteEqual(to: "JWE") ? .success : ApproovStatusWord(bytes: Array(word.utf8)[...])
    }

    /// Sorts the members of objects by name, recursively.
    private static func sorted(_ content: RecordValue.Content) -> RecordValue.Content {
        switch content {
        case .null, .flag, .number, .text: return content
        case .array(let values): return .array(values.map { RecordValue(sorted($0.content), offset: $0.offset) })
        case .object(let object):
            let members = object.members.map { member in
                RecordObject.Member(
                    name: member.name, offset: member.offset,
                    value: RecordValue(sorted(member.value.content), offset: member.value.offset))
            }
            let inOrder = members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            return .object(RecordObject(inOrder, offset: object.offset))
        }
    }

    /// True if the signature with this secret begins with the prefix.
    func isSigned(with secret: SecretBytes) -> Bool {
        let signature = Array(Base64.encode(HMAC.sha256(key: secret, signingInput[...]), .url).utf8)
        return ConstantTime.equals(signature[..<Self.signaturePrefixLength], signaturePrefix[...])
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == 0x2D || byte == 0x5F
    }
}
