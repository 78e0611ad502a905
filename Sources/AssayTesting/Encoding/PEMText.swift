import FoundationEssentials

/// The textual encoding of keys and certificates (RFC 7468).
enum PEMText {
    /// A block with its boundaries, in lines of 64 characters, with a final line feed.
    static func block(_ label: String, _ der: [UInt8]) -> String {
        var lines = ["-----BEGIN \(label)-----"]
        var rest = Substring(Data(der).base64EncodedString())
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        return (lines + ["-----END \(label)-----", ""]).joined(separator: "\n")
    }
}
