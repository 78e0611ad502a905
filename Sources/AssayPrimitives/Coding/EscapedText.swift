extension String {
    /// The text, with control characters and all characters outside ASCII escaped. For text from evidence.
    package var escapingControls: String {
        // Most texts need no escapes. Not generic: that takes several hundred instructions a byte.
        utf8.allSatisfy { (0x20...0x7E).contains($0) } ? self : self[...].escapingControls
    }
}

extension StringProtocol {
    /// The text, with control characters and all characters outside ASCII escaped. For text from evidence.
    package var escapingControls: String {
        if utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return String(self) }
        return unicodeScalars.map { (0x20...0x7E).contains($0.value) ? String($0) : $0.escaped(asASCII: true) }.joined()
    }
}
