import AssayCore
import AssayInspection
import AssayPrimitives

/// The claims of a token, opened already.
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

    static func violation(in bytes: [UInt8]) -> DecodeError? {
        do throws(DecodeError) {
            _ = try ClaimsReader.read(JSONReader.readObject(bytes, limit: InputLimits.joseText))
            return nil
        } catch {
            return error
        }
    }

    /// The claims of an object that only Approov's tokens have, as far as they have its form: `pay` and `did` alone are
    /// names that anybody may use.
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

    /// Whether an object has an expiry and nothing else, as the least that tokens of the failover service have.
    static func isExpiryAlone(_ node: JSONNode) -> Bool {
        guard case .object(let members) = node.content else { return false }
        return members.count == 1 && hasExpiry(node)
    }
}

/// What the formats of text have in common.
enum ApproovText {
    /// Whether bytes could be a JSON object of claims. A longer one is never read, and looking into it would be in vain.
    static func isObject(_ bytes: [UInt8]) -> Bool {
        bytes.count <= InputLimits.joseText && LenientText.body(bytes).first == UInt8(ascii: "{")
    }
}
