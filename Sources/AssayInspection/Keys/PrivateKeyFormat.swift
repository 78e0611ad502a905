/// A private key in DER. It is named and never shown.
package enum PrivateKeyFormat: BlobFormat {
    /// Private key.
    package static let name = "private key"

    /// Recognises the structures of ``PrivateKeys``. ``PEMFormat`` reads keys in PEM.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard bytes.first == 0x30 else { return nil }
        return PrivateKeys.describe(bytes).map { Recognition(.certain, because: "it has the structure of \($0)") }
    }

    /// Describes the kind of the key without its value.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        let kind = PrivateKeys.describe(bytes) ?? "a private key"
        return BlobContents(
            [
                Annotation(
                    "private key", at: bytes.indices, value: "(not shown)",
                    meaning: "\(kind), \(Words.count(bytes.count, "byte")); take it back from wherever it was copied to"
                )
            ], secrets: [bytes.indices])
    }
}
