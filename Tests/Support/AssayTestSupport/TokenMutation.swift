/// Applies every ``ByteMutation`` to an accepted token.
package enum TokenMutation {
    /// The mutations of a text that are still accepted, described.
    package static func accepted(_ text: String, by accepts: ([UInt8]) -> Bool) -> [String] {
        accepted(Array(text.utf8), by: accepts)
    }

    /// The mutations of bytes that are still accepted, described.
    package static func accepted(_ bytes: [UInt8], by accepts: ([UInt8]) -> Bool) -> [String] {
        let none = accepts(bytes) ? [] : ["nothing, not even the token itself"]
        return none
            + ByteMutation.all(of: bytes.count).filter { accepts($0.apply(to: bytes)) }.map(\.description)
    }

    /// The mutations of a text that are still accepted. Skips mutations that are not UTF-8.
    package static func accepted(_ text: String, by accepts: (String) -> Bool) -> [String] {
        accepted(text) { (bytes: [UInt8]) in String(validating: bytes, as: UTF8.self).map(accepts) ?? false }
    }
}

extension StringProtocol {
    /// The same text, but that its fourth letter from the end is another: base64 then has other bytes in its canonical form, whatever
    /// the bytes were. (Letters that are only overwritten are now and then the same as before.)
    package var withOtherLetter: String { "\(dropLast(4))\(suffix(4).first == "A" ? "B" : "A")\(suffix(3))" }
}
