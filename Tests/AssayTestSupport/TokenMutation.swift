/// Changes a token in every small way that there is.
public enum TokenMutation {
    /// Every bit flipped, every byte left out, doubled, and every place where the text may end. What is accepted of them
    /// is returned, described.
    public static func accepted(_ text: String, by accepts: ([UInt8]) -> Bool) -> [String] {
        let bytes = Array(text.utf8)
        var accepted: [String] = []
        func attempt(_ changed: [UInt8], _ what: @autoclosure () -> String) {
            if accepts(changed) { accepted.append(what()) }
        }
        if !accepts(bytes) { accepted.append("nothing, not even the token itself") }
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                attempt(changed, "bit \(bit) of byte \(index)")
            }
            var changed = bytes
            changed.remove(at: index)
            attempt(changed, "byte \(index) left out")
            changed = bytes
            changed.insert(bytes[index], at: index)
            attempt(changed, "byte \(index) doubled")
            attempt(Array(bytes[..<index]), "cut at \(index)")
        }
        return accepted
    }

    /// The same for what takes text; what is no UTF-8 is no token.
    public static func accepted(_ text: String, by accepts: (String) -> Bool) -> [String] {
        accepted(text) { (bytes: [UInt8]) in String(validating: bytes, as: UTF8.self).map(accepts) ?? false }
    }
}
