extension [UInt8] {
    /// The bytes as hexadecimal digits in lower case.
    package var hexadecimal: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * count)
        for byte in self {
            digits.append((byte >> 4).hexadecimalDigit)
            digits.append((byte & 0x0F).hexadecimalDigit)
        }
        return String(decoding: digits, as: UTF8.self)
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
