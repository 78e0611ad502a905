/// The two forms in which an ECDSA signature is written down.
enum SignatureForm {
    /// `r || s`, each in as many bytes as a coordinate has, of a DER ECDSA-Sig-Value (RFC 3279 section 2.2.3); nil when
    /// the bytes are not its one DER encoding, or when a number has more bytes.
    ///
    /// Whether the numbers are in range is for the verification to say. Signatures of both curves are shorter than 128
    /// bytes, so that each length takes up one byte. Reading them here and not with OpenSSL saves a twentieth of what a
    /// verification takes, which goes into big numbers and back.
    static func concatenated(der: ArraySlice<UInt8>, coordinateLength: Int) -> [UInt8]? {
        let bytes = der.span
        guard bytes.count >= 2, bytes[0] == 0x30, bytes[1] < 0x80, bytes.count - 2 == Int(bytes[1]),
            let first = integer(in: bytes, at: 2), let second = integer(in: bytes, at: first.upperBound),
            second.upperBound == bytes.count, first.count <= coordinateLength, second.count <= coordinateLength
        else { return nil }
        var result = [UInt8](repeating: 0, count: 2 * coordinateLength)
        copy(bytes, first, to: &result, endingAt: coordinateLength)
        copy(bytes, second, to: &result, endingAt: 2 * coordinateLength)
        return result
    }

    private static func copy(_ bytes: Span<UInt8>, _ place: Range<Int>, to result: inout [UInt8], endingAt end: Int) {
        for offset in 0..<place.count { result[end - place.count + offset] = bytes[place.lowerBound + offset] }
    }

    /// Where the digits are of an INTEGER that is not negative, in its shortest form (X.690 section 8.3), without the zero
    /// that stands before a first one of 0x80 or more.
    private static func integer(in bytes: Span<UInt8>, at start: Int) -> Range<Int>? {
        guard bytes.count - start > 2, bytes[start] == 0x02, bytes[start + 1] > 0,
            Int(bytes[start + 1]) <= bytes.count - start - 2
        else { return nil }
        let digits = start + 2..<start + 2 + Int(bytes[start + 1])
        guard bytes[digits.lowerBound] < 0x80 else { return nil }
        guard bytes[digits.lowerBound] == 0, digits.count > 1 else { return digits }
        return bytes[digits.lowerBound + 1] >= 0x80 ? digits.lowerBound + 1..<digits.upperBound : nil
    }
}
