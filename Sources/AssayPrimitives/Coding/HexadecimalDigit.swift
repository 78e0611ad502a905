extension [UInt8] {
    /// The bytes as hexadecimal digits in lower case.
    package var hexadecimal: String {
        unsafe String(unsafeUninitializedCapacity: 2 * count) { digits in
            for index in indices {
                unsafe digits[2 * index] = (self[index] >> 4).hexadecimalDigit
                unsafe digits[2 * index + 1] = (self[index] & 0x0F).hexadecimalDigit
            }
            return 2 * count
        }
    }

    /// The bytes of pairs of hexadecimal digits in either case; nil for any other text.
    package init?(hexadecimal text: some Collection<UInt8>) {
        let digits = text.compactMap(\.hexadecimalValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

extension UInt8 {
    /// The digit of a value below 16, in lower case.
    fileprivate var hexadecimalDigit: UInt8 { self < 10 ? 0x30 + self : 0x61 + self - 10 }

    /// The value of an ASCII hexadecimal digit in either case; nil for another byte.
    package var hexadecimalValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}
