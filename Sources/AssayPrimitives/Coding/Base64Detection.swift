/// Telling base64 from raw bytes, for blobs that come from a person and not from a field with a known encoding.
extension Base64 {
    /// What a file holds when it is text in base64.
    public typealias Detected = (alphabet: Alphabet, bytes: [UInt8])

    /// Tells whether a file is base64, standard with padding or base64url without, and decodes it.
    ///
    /// One newline at the end is allowed, because editors and `echo` put it there. Text that both alphabets can hold
    /// is the same bytes in either, and counts as standard.
    /// - Returns: nil when the file is empty or anything else.
    public static func detect(_ file: [UInt8]) -> Detected? {
        var text = file[...]
        if text.last == 0x0A { text = text.dropLast() }
        if text.last == 0x0D, text.count < file.count { text = text.dropLast() }
        guard !text.isEmpty else { return nil }
        for alphabet in [Alphabet.standard, .url] {
            if let bytes = try? decode(text, alphabet) { return (alphabet, bytes) }
        }
        return nil
    }

    /// Tells the same of a file whose text may be broken into lines, as `base64` and `openssl` write it.
    ///
    /// Lenient, and therefore for files that a person hands over only, never for evidence inside of a request: line
    /// breaks (LF or CR LF) may stand anywhere.
    public static func detectIgnoringLineBreaks(_ file: [UInt8]) -> Detected? {
        var text: [UInt8] = []
        text.reserveCapacity(file.count)
        for byte in file {
            if byte == 0x0A {
                if text.last == 0x0D { text.removeLast() }
            } else {
                text.append(byte)
            }
        }
        return text.last == 0x0A ? nil : detect(text)
    }
}
