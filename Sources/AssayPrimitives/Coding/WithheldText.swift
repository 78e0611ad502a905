package import AssayCore

/// The text of a member that is a secret: it was read into memory that is wiped, and its value is an empty text.
package struct WithheldText: Sendable {
    /// The name of the member.
    package let name: String
    /// The text in UTF-8, unescaped.
    package let text: SecretBytes
}

extension JSONReader {
    /// Reads a document that is an object, some members of which may be secrets.
    ///
    /// Strings cannot be wiped, so none is made of those. The document itself is the caller's to wipe.
    /// - Parameters:
    ///   - bytes: the document; indices serve as offsets.
    ///   - limit: how many bytes are allowed.
    ///   - names: the members. One that is no text is read as any other value is.
    /// - Returns: the object, in which the texts of these members are empty, and the texts.
    package static func readObject(
        _ bytes: [UInt8], limit: Int, withholding names: [String]
    ) throws(DecodeError) -> (object: RecordObject, withheld: [WithheldText]) {
        var withheld: [WithheldText] = []
        let object = try object(read(bytes[...], limit: limit, origin: 0, withholding: names, into: &withheld))
        return (object, withheld)
    }
}
