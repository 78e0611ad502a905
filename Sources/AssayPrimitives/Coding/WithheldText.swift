/// The text of a secret member, in memory that is wiped on release.
package struct WithheldText: Sendable {
    /// The name of the member.
    package let name: String
    /// The text in UTF-8, unescaped.
    package let text: SecretBytes
}

extension JSONReader {
    /// Reads a document that is an object. Creates no strings for the secret members `names`, because strings cannot be
    /// wiped. Secret members that are not text are read normally. The caller must wipe the document itself.
    /// - Returns: the object, with empty texts in place of the secret ones, and the secret texts.
    package static func readObject(
        _ bytes: [UInt8], limit: Int, withholding names: [String]
    ) throws(DecodeError) -> (object: RecordObject, withheld: [WithheldText]) {
        var withheld: [WithheldText] = []
        let object = try object(read(bytes[...], limit: limit, origin: 0, withholding: names, into: &withheld))
        return (object, withheld)
    }
}
