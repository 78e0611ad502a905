package import AssayCore

/// A policy in YAML. `assay policy check` reads it.
package enum PolicyFormat: BlobFormat {
    package static let name = "policy"

    /// Recognises the two fields that each policy has, at the beginning of lines.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard bytes.prefix(64).allSatisfy({ $0 >= 0x20 || LenientText.isSpace($0) }) else { return nil }
        let fields = fields(of: bytes).map(\.name)
        guard fields.containsBytes(of: "version"), fields.containsBytes(of: "apps") else { return nil }
        return Recognition(.certain, because: "its lines begin with version: and apps:")
    }

    /// Names the top-level fields. Their values are not shown: a policy may contain keys.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        let fields = fields(of: bytes)
        let ends = fields.dropFirst().map(\.start) + [bytes.count]
        return BlobContents(
            zip(fields, ends).map { field, end in
                Annotation(field.name, at: field.start..<end, value: "(not shown)", meaning: "a field of the policy")
            },
            unknown: ["what the policy says: `assay policy check` and `assay policy show` read it"],
            secrets: [bytes.indices])
    }

    private static func fields(of bytes: [UInt8]) -> [(name: String, start: Int)] {
        bytes.split(separator: 0x0A).prefix(10_000).compactMap { line in
            let name = line.prefix(40).prefix { (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) }
            guard !name.isEmpty, name.endIndex < line.endIndex, line[name.endIndex] == 0x3A else { return nil }
            return (String(decoding: name, as: UTF8.self), line.startIndex)
        }
    }
}

/// A verdict as `assay verify --json` and the service write it.
package enum VerdictFormat: BlobFormat {
    package static let name = "verdict"

    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard LenientText.body(bytes).first == 0x7B, let node = LenientJSON.read(bytes[...])?.node,
            let outcome = node["outcome"]?.text, ["accept", "reject"].containsBytes(of: outcome),
            let kind = node["kind"]?.text,
            case .array? = node["checks"]?.content
        else { return nil }
        return Recognition(.certain, because: "it is JSON with the outcome \(outcome) on \(kind.excerpt), and checks")
    }

    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        JSONFormat.annotate(bytes) { pointer, _ in
            switch pointer {
            case "/failed": "the checks that failed: `assay explain` describes each"
            case "/remedy": "what the client should do"
            case "/judgedAt": "the time of judgement"
            default: nil
            }
        }
    }

    package static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) { try JSONFormat.decodeStrictly(bytes) }
}
