import AssayCore

/// Finds private keys in text, so that nothing prints one that was pasted by mistake.
package enum SecretText {
    /// What private keys are marked with in PEM (RFC 7468 sections 10 and 11, RFC 5915), and what the file with the keys
    /// of the Play Console has.
    private static let marks = ["PRIVATE KEY-----", "DECRYPTION_KEY"]

    /// The mark of a secret in a text, and nil when there is none.
    package static func find(in text: some StringProtocol) -> String? {
        marks.first { contains(text.utf8, $0) }
    }

    private static func contains(_ text: some Collection<UInt8>, _ mark: String) -> Bool {
        let mark = Array(mark.utf8)
        // The first letter of neither mark comes again in it before a mismatch could end a match: one pass suffices.
        guard text.count >= mark.count else { return false }
        var matched = 0
        for byte in text {
            if byte == mark[matched] {
                matched += 1
                if matched == mark.count { return true }
            } else {
                matched = byte == mark[0] ? 1 : 0
            }
        }
        return false
    }
}
