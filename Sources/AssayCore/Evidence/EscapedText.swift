extension StringProtocol {
    /// The text with control characters and everything outside of ASCII escaped, so that what evidence says can stand in
    /// a finding or a log without passing for something else.
    package var escapingControls: String {
        unicodeScalars.map { (0x20...0x7E).contains($0.value) ? String($0) : $0.escaped(asASCII: true) }.joined()
    }
}
