extension UInt8 {
    /// Whether the byte is a letter or a digit of ASCII.
    @inlinable package var isASCIIAlphanumeric: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}
