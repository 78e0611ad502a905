/// Converts ECDSA signatures from DER to `r || s`.
enum SignatureForm {
    /// Converts a DER ECDSA-Sig-Value (RFC 3279 section 2.2.3) to `r || s`, each of `coordinateLength` bytes. Returns
    /// nil for non-canonical DER or a longer number. Does not check the range of the numbers; verification does.
    /// Signatures on both curves are shorter than 128 bytes, so each length takes one byte.
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
        unsafe bytes.extracting(place).withUnsafeBytes { source in
            unsafe result.withUnsafeMutableBytes { target in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[end - place.count..<end]).copyMemory(from: source)
            }
        }
    }

    /// The range of a non-negative INTEGER in its shortest form (X.690 section 8.3), without a leading zero byte.
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
