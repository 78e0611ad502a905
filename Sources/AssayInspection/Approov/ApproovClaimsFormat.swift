import Approov
import AssayCore
import AssayPrimitives

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

    static func violation(in bytes: [UInt8]) -> DecodeError? {
        do throws(DecodeError) {
            _ = try ClaimsReader.read(JSONReader.readObject(bytes, limit: InputLimits.joseText))
            return nil
        } catch {
            return error
        }
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

/// Helpers of the text formats.
enum ApproovText {
    /// True if the bytes could be a JSON object of claims within the size limit.
    static func isObject(_ bytes: [UInt8]) -> Bool {
        bytes.count <= InputLimits.joseText && LenientText.body(bytes).first == UInt8(ascii: "{")
    }
}
