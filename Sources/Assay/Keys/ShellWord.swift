/// Quotes words for commands in messages, which users paste into a shell.
enum ShellWord {
    /// The text as one word for POSIX shells (XCU section 2.2), never an option of the command. Writes characters that
    /// terminals interpret as `$'\ooo'`, which POSIX.1-2024 and all common shells support.
    static func quoted(_ text: String) -> String {
        let word = text.utf8.first == UInt8(ascii: "-") ? "./\(text)" : text
        if word.unicodeScalars.contains(where: \.isActedOn) { return "$'\(escaped(word))'" }
        if !word.isEmpty, word.utf8.allSatisfy(isPlain) { return word }
        return "'\(word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "/._-+,:@%".utf8.contains(byte)
        }
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\\"): result += "\\" + String(UnicodeScalar(byte))
            case 0x20...0x7E: result.unicodeScalars.append(UnicodeScalar(byte))
            default:
                let digits = String(byte, radix: 8)
                result += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
            }
        }
        return result
    }
}
