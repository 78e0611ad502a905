/// Obsolete line folding (RFC 9112 section 5.2).
enum LineFolds {
    /// Replaces each fold, including white space around its CRLF, with one space. Trims. Keeps other line breaks.
    static func removed(from value: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(value.count)
        var index = 0
        while index < value.count {
            guard value[index] == 0x0D, index + 2 < value.count, value[index + 1] == 0x0A,
                HTTPFieldText.isSpace(value[index + 2])
            else {
                result.append(value[index])
                index += 1
                continue
            }
            while let last = result.last, HTTPFieldText.isSpace(last) { result.removeLast() }
            index += 2
            while index < value.count, HTTPFieldText.isSpace(value[index]) { index += 1 }
            result.append(0x20)
        }
        while let last = result.last, HTTPFieldText.isSpace(last) { result.removeLast() }
        return Array(result.drop(while: HTTPFieldText.isSpace))
    }
}
