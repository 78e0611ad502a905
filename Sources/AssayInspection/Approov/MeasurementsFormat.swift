import Approov
import AssayCore

/// Measurements from a token. The dump reports them without their values.
enum MeasurementsFormat: BlobFormat {
    static let name = "measurements of an Approov token"
    private static let names = ["mpk", "imh", "dmh"]

    static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard ApproovText.isObject(bytes), case .object(let members)? = LenientJSON.read(bytes[...])?.node.content,
            !members.isEmpty, members.allSatisfy({ names.containsBytes(of: $0.key.text ?? "") })
        else { return nil }
        return Recognition(.certain, because: "it is a JSON object with mpk, imh or dmh and nothing else")
    }

    static func annotate(_ bytes: [UInt8]) -> BlobContents {
        var contents = JSONFormat.annotate(bytes)
        contents.unknown = [
            "whether they are those of a genuine token: `assay verify --kind approov.proof` takes a token too"
        ]
        return contents
    }
}
