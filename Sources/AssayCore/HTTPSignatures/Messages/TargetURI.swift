/// The parts of a target URI (RFC 3986 section 3), normalised for `http` and `https` (RFC 9110 section 4.2.3).
package struct TargetURI {
    /// The lower-case scheme.
    package let scheme: [UInt8]
    /// The lower-case host, with the port unless it is empty or the scheme's default.
    package let authority: [UInt8]
    /// The lower-case host.
    let host: [UInt8]
    /// The path; `/` if it is empty.
    package let path: [UInt8]
    /// The query without `?`, or nil.
    let query: ArraySlice<UInt8>?

    /// Parses an absolute URI with a host; otherwise returns nil. Rejects user information: senders must not generate
    /// it (RFC 9110 section 4.2.4), and parsers disagree about the host after it.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }), let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            colon > 0,
            bytes[..<colon].allSatisfy(Self.isSchemeCharacter),
            bytes[colon...].starts(with: "://".utf8)
        else { return nil }
        scheme = bytes[..<colon].map(HTTPFieldText.lowercase)
        var rest = bytes[(colon + 3)...]
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = rest[(mark + 1)...]
            rest = rest[..<mark]
        } else {
            query = nil
        }
        let slash = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        path = slash == rest.endIndex ? [UInt8(ascii: "/")] : Array(rest[slash...])
        let received = rest[..<slash].map(HTTPFieldText.lowercase)
        guard !received.contains(UInt8(ascii: "@")) else { return nil }
        // An IPv6 address has colons between brackets.
        let bracket = received.lastIndex(of: UInt8(ascii: "]")) ?? 0
        let portColon = received[bracket...].firstIndex(of: UInt8(ascii: ":")) ?? received.endIndex
        host = Array(received[..<portColon])
        let port = received[portColon...].dropFirst()
        guard !host.isEmpty, port.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        let isDefault =
            scheme.elementsEqual("https".utf8) && port.elementsEqual("443".utf8)
            || scheme.elementsEqual("http".utf8) && port.elementsEqual("80".utf8)
        authority = port.isEmpty || isDefault ? host : received
    }

    private static func isSchemeCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
