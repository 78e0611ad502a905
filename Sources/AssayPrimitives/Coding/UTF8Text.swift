/// Validates UTF-8 (RFC 3629) without creating a `String`.
enum UTF8Text {
    /// Throws unless the bytes are valid UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
    static func validate(_ bytes: ArraySlice<UInt8>) throws(DecodeError) {
        if bytes.allSatisfy({ $0 < 0x80 }) { return }
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var position = bytes.startIndex
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let scalar): position += scalar.count
            case .emptyInput: return
            case .error: throw DecodeError(.invalidText, at: position, "not valid UTF-8")
            }
        }
    }
}
