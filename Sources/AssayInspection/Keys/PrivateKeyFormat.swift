/// A private key in DER, which is named and not shown.
package enum PrivateKeyFormat: BlobFormat {
    /// Private key.
    package static let name = "private key"

    /// Takes the structures that ``PrivateKeys`` knows. ``PEMFormat`` reads keys in PEM.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard bytes.first == 0x30 else { return nil }
        return PrivateKeys.describe(bytes).map { Recognition(.certain, because: "it has the structure of \($0)") }
    }

    /// Says what kind of key it is, and nothing about its value.
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
