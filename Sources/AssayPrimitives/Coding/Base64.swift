/// Canonical base64 (RFC 4648): each value has exactly one accepted encoding, without white space. Foundation's decoder
/// has no base64url, accepts non-zero spare bits, and does not report the position of an error.
package enum Base64 {
    /// The alphabet, which also determines the padding.
    package enum Alphabet: Sendable {
        /// `+` and `/`, padded with `=` to a multiple of four characters (section 4).
        case standard
        /// `-` and `_`, never padded (section 5; RFC 7515 section 2).
        case url

        fileprivate var characters: ImmortalTable<UInt8> {
            switch self {
            case .standard: Base64.standardCharacters
            case .url: Base64.urlCharacters
            }
        }

        fileprivate var values: ImmortalTable<UInt8> {
            switch self {
            case .standard: Base64.standardValues
            case .url: Base64.urlValues
            }
        }

        fileprivate var groups: ImmortalTable<UInt32> {
            switch self {
            case .standard: Base64.standardGroups
            case .url: Base64.urlGroups
            }
        }
    }

    private static let shared = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    private static let standardAlphabet = shared + Array("+/".utf8)
    private static let urlAlphabet = shared + Array("-_".utf8)
    private static let standardCharacters = ImmortalTable(standardAlphabet)
    private static let urlCharacters = ImmortalTable(urlAlphabet)
    private static let standardValues = ImmortalTable(values(of: standardAlphabet))
    private static let urlValues = ImmortalTable(values(of: urlAlphabet))
    private static let standardGroups = ImmortalTable(groups(of: values(of: standardAlphabet)))
    private static let urlGroups = ImmortalTable(groups(of: values(of: urlAlphabet)))
    /// Marks a character outside the alphabet; no value has this bit.
    private static let none: UInt8 = 0x80
    /// Marks a group of four with such a character.
    private static let noGroup: UInt32 = 1 << 31

    private static func values(of characters: [UInt8]) -> [UInt8] {
        var values = [UInt8](repeating: none, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }

    /// For each of the four positions in a group: the bits that each character contributes to the 24-bit value.
    private static func groups(of values: [UInt8]) -> [UInt32] {
        [18, 12, 6, 0].flatMap { shift in values.map { $0 == none ? noGroup : UInt32($0) << UInt32(shift) } }
    }

    /// Decodes a text; an empty text gives no bytes.
    /// - Throws: ``DecodeError`` at the index of a character outside the alphabet, of a last character with non-zero
    ///   spare bits, or at the end if the length or the padding is wrong.
    package static func decode(_ text: ArraySlice<UInt8>, _ alphabet: Alphabet) throws(DecodeError) -> [UInt8] {
        try unsafe text.withUnsafeBufferPointer { unsafe decode($0, alphabet, origin: text.startIndex) }.get()
    }

    /// Decodes a text. Error offsets count UTF-8 bytes.
    package static func decode(_ text: String, _ alphabet: Alphabet) throws(DecodeError) -> [UInt8] {
        // Native Swift strings are contiguous; strings bridged on Darwin might not be.
        if let result = unsafe text.utf8.withContiguousStorageIfAvailable({ unsafe decode($0, alphabet, origin: 0) }) {
            return try result.get()
        }
        return try decode(Array(text.utf8)[...], alphabet)
    }

    /// - Parameter origin: the offset of the first character.
    private static func decode(
        _ text: UnsafeBufferPointer<UInt8>, _ alphabet: Alphabet, origin: Int
    ) -> Result<[UInt8], DecodeError> {
        var count = text.count
        if alphabet == .standard {
            while unsafe count > 0 && text[count - 1] == 0x3D && text.count - count < 2 { count -= 1 }
        }
        let values = alphabet.values
        let body = unsafe UnsafeBufferPointer(rebasing: text[..<count])
        var (bytes, isInAlphabet) = unsafe decodeQuads(body, values, alphabet.groups)
        guard isInAlphabet else { return .failure(unsafe strangeCharacter(in: body, values, origin: origin)) }
        let tail = count % 4
        let padding = text.count - count
        guard tail != 1, alphabet == .url || padding == (4 - tail) % 4 else {
            return .failure(
                DecodeError(
                    .unexpectedLength, at: origin + text.count,
                    "\(count) characters and \(padding) of padding are not "
                        + (alphabet == .standard ? "a multiple of four" : "a length that base64url has")))
        }
        guard tail > 0 else { return .success(bytes) }
        var group: UInt32 = 0
        for index in count - tail..<count { group = group << 6 | UInt32(values[Int(unsafe body[index])]) }
        let spareBits = tail == 2 ? 4 : 2
        guard group & ((1 << spareBits) - 1) == 0 else {
            return .failure(
                DecodeError(
                    .notMinimal, at: origin + count - 1,
                    "the last character \(name(unsafe body[count - 1])) has bits that belong to no byte"))
        }
        group >>= spareBits
        if tail == 3 { bytes.append(UInt8(group >> 8)) }
        bytes.append(UInt8(group & 0xFF))
        return .success(bytes)
    }

    /// Decodes all whole groups of four, and returns whether all characters, including a partial last group, are in the
    /// alphabet. Hot loop: it ORs the groups and checks the alphabet once at the end.
    private static func decodeQuads(
        _ input: UnsafeBufferPointer<UInt8>, _ values: ImmortalTable<UInt8>, _ groups: ImmortalTable<UInt32>
    ) -> ([UInt8], Bool) {
        let quads = input.count / 4
        var seen: UInt32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: quads * 3 + 2) { output, count in
            let output = UnsafeMutableRawBufferPointer(output)
            unsafe groups.withUnsafeBufferPointer { groups in
                for quad in 0..<quads {
                    let group =
                        unsafe groups[Int(input[quad * 4])] | groups[256 + Int(input[quad * 4 + 1])]
                        | groups[512 + Int(input[quad * 4 + 2])] | groups[768 + Int(input[quad * 4 + 3])]
                    seen |= group
                    // Writes one extra byte, which the next group overwrites; the buffer has room for it.
                    unsafe output.storeBytes(of: (group << 8).bigEndian, toByteOffset: quad * 3, as: UInt32.self)
                }
            }
            count = quads * 3
        }
        var isInAlphabet = seen & noGroup == 0
        for index in quads * 4..<input.count where values[Int(unsafe input[index])] == none { isInAlphabet = false }
        return (bytes, isInAlphabet)
    }

    private static func strangeCharacter(
        in body: UnsafeBufferPointer<UInt8>, _ values: ImmortalTable<UInt8>, origin: Int
    ) -> DecodeError {
        // Padding in front of another strange character, such as a line end, is not what is wrong.
        let strange = unsafe body.firstIndex { values[Int($0)] == none && $0 != 0x3D }
        let index = unsafe strange ?? body.firstIndex { values[Int($0)] == none } ?? body.endIndex
        let found = unsafe index < body.endIndex ? name(body[index]) : "it"
        return DecodeError(.invalidText, at: origin + index, "\(found) is not in the alphabet")
    }

    package static func encode(_ bytes: ArraySlice<UInt8>, _ alphabet: Alphabet) -> String {
        let characters = alphabet.characters
        let length = alphabet == .standard ? (bytes.count + 2) / 3 * 4 : (bytes.count * 4 + 2) / 3
        return unsafe String(unsafeUninitializedCapacity: length) { output in
            unsafe bytes.withUnsafeBufferPointer { input in
                unsafe characters.withUnsafeBufferPointer { characters in
                    unsafe encode(input, characters, into: output, length: length)
                }
            }
        }
    }

    /// Writes `length` characters, including padding, and returns `length`. `output` may be larger.
    private static func encode(
        _ input: UnsafeBufferPointer<UInt8>, _ characters: UnsafeBufferPointer<UInt8>,
        into output: UnsafeMutableBufferPointer<UInt8>, length: Int
    ) -> Int {
        var position = 0
        func write(_ group: UInt32, _ count: Int) {
            for index in 0..<count {
                let value = Int(truncatingIfNeeded: group >> UInt32(18 - 6 * index) & 63)
                unsafe output.initializeElement(at: position + index, to: characters[value])
            }
            position += count
        }
        let whole = input.count / 3 * 3
        var index = 0
        while index < whole {
            let group =
                unsafe UInt32(input[index]) << 16 | UInt32(input[index + 1]) << 8 | UInt32(input[index + 2])
            write(group, 4)
            index += 3
        }
        switch input.count - whole {
        case 1: unsafe write(UInt32(input[whole]) << 16, 2)
        case 2: unsafe write(UInt32(input[whole]) << 16 | UInt32(input[whole + 1]) << 8, 3)
        default: break
        }
        while position < length {
            unsafe output.initializeElement(at: position, to: 0x3D)
            position += 1
        }
        return length
    }

    package static func encode(_ bytes: [UInt8], _ alphabet: Alphabet) -> String {
        encode(bytes[...], alphabet)
    }

    private static func name(_ byte: UInt8) -> String {
        switch byte {
        case 0x0A: "a line feed"
        case 0x0D: "a carriage return"
        case 0x20: "a space"
        case 0x21...0x7E: "'\(Character(UnicodeScalar(byte)))'"
        default: "the byte \(byte)"
        }
    }
}
