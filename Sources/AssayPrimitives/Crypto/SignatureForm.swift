/// The two forms in which an ECDSA signature is written down.
enum SignatureForm {
    /// `r || s`, each in as many bytes as a coordinate has, of a DER ECDSA-Sig-Value (RFC 3279 section 2.2.3); nil when
    /// the bytes are not its one DER encoding, or when a number has more bytes.
    ///
    /// Whether the numbers are in range is for the verification to say. Signatures of both curves are shorter than 128
    /// bytes, so that each length takes up one byte. Reading them here and not with OpenSSL saves a twentieth of what a
    /// verification takes, which goes into big numbers and back.
    static func concatenated(der: ArraySlice<UInt8>, coordinateLength: Int) -> [UInt8]? {
        var rest = der
        guard rest.popFirst() == 0x30, let length = rest.popFirst(), length < 0x80, rest.count == Int(length) else {
            return nil
        }
        var result: [UInt8] = []
        result.reserveCapacity(2 * coordinateLength)
        for _ in 0..<2 {
            guard append(integerFrom: &rest, of: coordinateLength, to: &result) else { return nil }
        }
        return rest.isEmpty ? result : nil
    }

    /// Reads an INTEGER that is not negative, in its shortest form (X.690 section 8.3).
    private static func append(
        integerFrom rest: inout ArraySlice<UInt8>, of coordinateLength: Int, to result: inout [UInt8]
    ) -> Bool {
        guard rest.popFirst() == 0x02, let length = rest.popFirst(), length > 0, Int(length) <= rest.count else {
            return false
        }
        var digits = rest.prefix(Int(length))
        rest = rest.dropFirst(Int(length))
        guard let first = digits.first, first < 0x80 else { return false }
        if first == 0, digits.count > 1 {
            digits = digits.dropFirst()
            guard let next = digits.first, next >= 0x80 else { return false }
        }
        guard digits.count <= coordinateLength else { return false }
        for _ in digits.count..<coordinateLength { result.append(0) }
        result.append(contentsOf: digits)
        return true
    }
}
