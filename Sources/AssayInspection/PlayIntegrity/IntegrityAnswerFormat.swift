import AssayCore
import PlayIntegrity

/// Google's answer to a decode call.
enum IntegrityAnswerFormat: BlobFormat {
    static let name = "Google's answer on a Play Integrity token"

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard IntegrityJSON.begins(bytes), let node = LenientJSON.read(bytes[...])?.node else { return nil }
        if let payload = node["tokenPayloadExternal"] {
            let found = IntegrityPayloadFormat.recognise(payload)
            return Recognition(
                .certain,
                because: "it is JSON with tokenPayloadExternal" + (found == nil ? "" : ", and the blocks of a payload"))
        }
        if let error = node["error"], error["code"] != nil, error["status"] != nil {
            return Recognition(.structure, because: "it is JSON with an error as Google's services give it")
        }
        return nil
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        guard let node = LenientJSON.read(bytes[...])?.node else { return BlobContents([]) }
        var contents = JSONAnnotator.annotate(node, named: "answer", in: bytes) { pointer, node in
            let path = IntegrityJSON.names(pointer)
            switch path.first {
            case nil: return nil
            case "tokenPayloadExternal": return PayloadMeanings.meaning(of: Array(path.dropFirst()), node)
            case "error": return path.count == 1 ? "why Google did not decode the token" : nil
            default: return path.count == 1 ? "unknown field, and tolerated" : nil
            }
        }
        contents.unknown = node["tokenPayloadExternal"].map(IntegrityJSON.unknown) ?? []
        return contents
    }

    static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        let object = try JSONReader.readObject(bytes, limit: InputLimits.integrityAnswer)
        guard case .object(let payload)? = object["tokenPayloadExternal"]?.content else { return }
        _ = try PayloadReader.read(payload)
    }
}

/// The decoded payload of an integrity token.
enum IntegrityPayloadFormat: BlobFormat {
    static let name = "payload of a Play Integrity token"

    static let blocks = [
        "requestDetails", "appIntegrity", "deviceIntegrity", "accountDetails", "environmentDetails", "testingDetails",
    ]

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard IntegrityJSON.begins(bytes) else { return nil }
        return LenientJSON.read(bytes[...]).flatMap { recognise($0.node) }
    }

    static func recognise(_ node: JSONNode) -> Recognition? {
        let found = blocks.filter { node[$0] != nil }
        guard !found.isEmpty else { return nil }
        return Recognition(
            found.count > 1 ? .certain : .structure, because: "it is JSON with \(found.joined(separator: ", "))")
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        guard let node = LenientJSON.read(bytes[...])?.node else { return BlobContents([]) }
        var contents = JSONAnnotator.annotate(node, named: "payload", in: bytes) { pointer, node in
            PayloadMeanings.meaning(of: IntegrityJSON.names(pointer), node)
        }
        contents.unknown = IntegrityJSON.unknown(payload: node)
        return contents
    }

    static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        _ = try PayloadReader.read(JSONReader.readObject(bytes, limit: InputLimits.joseText))
    }
}

enum IntegrityJSON {
    /// True if the bytes could be a JSON object.
    static func begins(_ bytes: [UInt8]) -> Bool {
        bytes.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) } == UInt8(ascii: "{")
    }

    /// The names and numbers in a JSON pointer.
    static func names(_ pointer: String) -> [String] {
        pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    }

    /// Facts that a payload does not contain.
    static func unknown(payload: JSONNode) -> [String] {
        var unknown = ["whether Google made it: it stands here without a signature"]
        let request = payload["requestDetails"]
        if request?["nonce"] != nil {
            unknown.append("whether the nonce is the one of your request: compare it with what the server gave out")
        }
        if request?["requestHash"] != nil {
            unknown.append("whether the request hash is that of your request: the server computes it again")
        }
        return unknown
    }
}
