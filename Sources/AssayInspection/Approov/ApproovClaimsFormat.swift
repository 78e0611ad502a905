import Approov
import AssayCore

/// The decoded claims of a token.
enum ApproovClaimsFormat: BlobFormat {
    static let name = "claims of an Approov token"

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard ApproovText.isObject(bytes), let node = LenientJSON.read(bytes[...])?.node, node["sip"] == nil else {
            return nil
        }
        let found = marks(of: node)
        guard found.count > 1 || (!found.isEmpty && hasExpiry(node)) else { return nil }
        return Recognition(
            found.count > 1 ? .certain : .structure,
            because: "it is JSON with \(found.joined(separator: ", ")), in the form of Approov's claims")
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        var contents = JSONFormat.annotate(bytes, describe: ClaimMeanings.meaning)
        contents.unknown = ["whether Approov made them: they stand here without a signature"]
        return contents
    }

    static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        _ = try ClaimsReader.read(JSONReader.readObject(bytes, limit: InputLimits.joseText))
    }

    /// The names of members that have the name and the form of Approov's own claims. `pay` and `did` are common names.
    static func marks(of node: JSONNode) -> [String] {
        ["did", "arc", "pay", "anno", "ipk", "mskid", "mpk", "imh", "dmh"].filter { name in
            guard let value = node[name] else { return false }
            return switch name {
            case "anno": if case .array = value.content { true } else { false }
            case "did": value.text.map { DeviceIDText.isValid($0) } ?? false
            case "pay", "imh", "dmh": value.text?.utf8.count == 44
            case "mpk": value.text?.utf8.count == 24
            case "ipk": value.text?.hasPrefix("MFkw") ?? false
            default: value.text != nil
            }
        }
    }

    static func hasExpiry(_ node: JSONNode) -> Bool {
        if case .number = node["exp"]?.content { true } else { false }
    }

    /// True if the expiry is the only member, which is the minimum in failover tokens.
    static func isExpiryAlone(_ node: JSONNode) -> Bool {
        guard case .object(let members) = node.content else { return false }
        return members.count == 1 && hasExpiry(node)
    }
}

enum ApproovText {
    /// True if the bytes could be a JSON object of claims within the size limit.
    static func isObject(_ bytes: [UInt8]) -> Bool {
        bytes.count <= InputLimits.joseText && LenientText.body(bytes).first == UInt8(ascii: "{")
    }
}

/// The meanings of token claims (Approov, Token Claims).
enum ClaimMeanings {
    /// The meaning of a claim or a claim's element, by its JSON pointer.
    static func meaning(of pointer: String, _ node: JSONNode) -> String? {
        let path = pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard let name = path.first.map(String.init) else { return "what the token says" }
        if path.count == 2, name.isByteEqual(to: "anno"), let text = node.text {
            return AnnotationMeanings.meaning(of: text) ?? "a property that is not known here; the list grows"
        }
        guard path.count == 1 else { return nil }
        switch (name, node.content) {
        case ("exp", .number(let number)): return "expires: \(time(number))"
        case ("nbf", .number(let number)): return "not valid before: \(time(number))"
        case ("iat", .number(let number)): return "issued: \(time(number))"
        case ("exp", _), ("nbf", _), ("iat", _): return "a time; it should be a number"
        case ("ip", .text("")): return "the address of the device as Approov saw it: not told"
        case ("did", .text(let text)) where !DeviceIDText.isValid(text):
            return "a device ID; it should be base64 of 16 bytes, 24 characters"
        case ("pay", .text(let text)): return bound(text)
        default: return claims[name] ?? "not one of Approov's claims; kept, and shown in verdicts"
        }
    }

    private static func time(_ number: String) -> String { EpochTime.seconds(number) ?? "no time" }

    private static func bound(_ text: String) -> String {
        guard let bytes = try? Base64.decode(text, .standard), bytes.count == 32 else {
            return "what the token is bound to; it should be base64 of a SHA-256"
        }
        return "SHA-256 of what the token is bound to, in hexadecimal \(Hexadecimal.text(bytes))"
    }

    private static let claims = [
        "did": "the device ID: of this app on this device, until it is installed anew",
        "ip": "the address of the device as Approov saw it; a signal only, since devices change networks",
        "iss": "who issued it: the failover service, or the minter of a long-lived token for a server",
        "aud": "for whom it is", "sub": "what it is about",
        "anno": "properties of the device, by the account's annotation policy",
        "arc": "the attestation response code: what support looks up to learn why an app was rejected; may be logged",
        "ipk": "the installation's public key, for which messages are signed on the device",
        "mskid": "the ID of the account's key that messages are signed with",
        "sip": "the first six characters of the signature",
        "mpk": "the key of measurement proofs, a secret",
        "imh": "the measurement of the app's integrity, a secret", "dmh": "the measurement of the device, a secret",
    ]
}
