extension StringProtocol {
    /// The text with control characters and everything outside of ASCII escaped, for text from evidence in findings and logs.
    package var escapingControls: String {
        unicodeScalars.map { (0x20...0x7E).contains($0.value) ? String($0) : $0.escaped(asASCII: true) }.joined()
    }
}
