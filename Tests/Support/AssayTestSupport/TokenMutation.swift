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
