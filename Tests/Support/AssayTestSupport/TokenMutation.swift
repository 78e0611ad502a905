/// Holds one function that accepts a token against every small change that there is.
package enum TokenMutation {
    /// What is accepted of all changes of a text, described.
    package static func accepted(_ text: String, by accepts: ([UInt8]) -> Bool) -> [String] {
        accepted(Array(text.utf8), by: accepts)
    }

    /// What is accepted of all changes of some bytes, described.
    package static func accepted(_ bytes: [UInt8], by accepts: ([UInt8]) -> Bool) -> [String] {
        let none = accepts(bytes) ? [] : ["nothing, not even the token itself"]
        return none
            + ByteMutation.all(of: bytes.count).filter { accepts($0.apply(to: bytes)) }.map(\.description)
    }

    /// The same for what takes text; what is no UTF-8 is no token.
    package static func accepted(_ text: String, by accepts: (String) -> Bool) -> [String] {
        accepted(text) { (bytes: [UInt8]) in String(validating: bytes, as: UTF8.self).map(accepts) ?? false }
    }
}
