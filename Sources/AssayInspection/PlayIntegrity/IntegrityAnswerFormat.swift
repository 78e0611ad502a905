import AssayCore
import AssayPrimitives
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

    static func violation(in bytes: [UInt8]) -> DecodeError? {
        do throws(DecodeError) {
            let object = try JSONReader.readObject(bytes, limit: InputLimits.integrityAnswer)
            guard case .object(let payload)? = object["tokenPayloadExternal"]?.content else { return nil }
            _ = try PayloadReader.read(payload)
            return nil
        } catch {
            return error
        }
    }
}
