package import AssayCore

/// The claims of a JWT (RFC 7519 section 4): a JSON object, alone or as the payload of a token.
package enum JWTClaims: BlobFormat {
    package static let name = "JWT claims"

    /// Recognises an object with a numeric expiry or issue time, or with two registered claims.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard LenientText.body(bytes).first == 0x7B, let node = LenientJSON.read(bytes[...])?.node,
            case .object = node.content
        else { return nil }
        let found = registered.keys.filter { node[$0] != nil }.sorted()
        let hasTime = ["exp", "iat", "nbf"].contains { name in
            if case .number = node[name]?.content { true } else { false }
        }
        guard hasTime || found.count >= 2 else { return nil }
        return Recognition(
            .structure, because: "it is a JSON object with the registered claims \(found.joined(separator: ", "))")
    }

    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        JSONFormat.annotate(bytes, describe: meaning)
    }

    package static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) { try JSONFormat.decodeStrictly(bytes) }

    private static let registered = [
        "iss": "who issued it", "sub": "whom or what it is about", "aud": "for whom it is",
        "exp": "not valid from then on",
        "nbf": "not valid before", "iat": "when it was issued", "jti": "its identifier",
    ]

    private static func meaning(of pointer: String, _ node: JSONNode) -> String? {
        guard let meaning = registered[String(pointer.dropFirst())] else { return nil }
        switch (pointer, node.content) {
        case ("/exp", .number(let number)), ("/nbf", .number(let number)), ("/iat", .number(let number)):
            // Some issuers write milliseconds. RFC 7519 demands seconds, so the number would be a distant date: show
            // both.
            let seconds = EpochTime.seconds(number) ?? "no time"
            let milliseconds = EpochTime.meaning(of: number, under: "exp").flatMap {
                $0.hasSuffix("(milliseconds since 1970)") ? "; more likely \($0)" : nil
            }
            return "\(meaning): \(seconds)\(milliseconds ?? "")"
        case ("/exp", _), ("/nbf", _), ("/iat", _): return "\(meaning); it should be a number"
        default: return meaning
        }
    }
}
