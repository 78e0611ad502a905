package import AssayCore

/// The base URL of a server: `https`, host, optional port and path.
///
/// `http` is allowed for this machine only, for tests: anywhere else it would expose access tokens. A path is appended to the
/// URL, so user, query, fragment and escapes are refused.
package struct ServerURL: Sendable, Hashable, CustomStringConvertible {
    /// The URL, without a `/` at its end.
    package let text: String
    /// The host as written, without its port.
    package let host: String

    /// `https://playintegrity.googleapis.com`.
    package static let playIntegrity = ServerURL(
        text: "https://playintegrity.googleapis.com", host: "playintegrity.googleapis.com")

    private init(text: String, host: String) {
        self.text = text
        self.host = host
    }

    /// Reads a URL.
    ///
    /// - Throws: ``AssayCore/DecodeError`` at the byte that does not fit.
    package init(_ text: String) throws(DecodeError) {
        guard text.utf8.count <= 2048 else {
            throw DecodeError(.tooLarge, at: 2048, "a URL of \(text.utf8.count) bytes, at most 2048 allowed")
        }
        let isEncrypted = text.hasPrefix("https://")
        guard isEncrypted || text.hasPrefix("http://") else {
            throw DecodeError(.unexpectedValue, at: 0, "expected a URL that begins with https://")
        }
        let start = isEncrypted ? 8 : 7
        let bytes = Array(text.utf8)
        let authorityEnd = bytes[start...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
        let host = try ServerURL.host(bytes[start..<authorityEnd])
        if !isEncrypted, !["localhost", "127.0.0.1", "[::1]"].containsBytes(of: host) {
            throw DecodeError(.unexpectedValue, at: 0, "expected https; http is allowed for this machine alone")
        }
        var path = bytes[authorityEnd...]
        for index in path.indices where !ServerURL.isPathCharacter(path[index]) {
            throw DecodeError(.invalidText, at: index, "a path here has letters, digits, and ._~/- only")
        }
        while path.last == UInt8(ascii: "/") { path = path.dropLast() }
        self.init(text: String(decoding: bytes[..<path.endIndex], as: UTF8.self), host: host)
    }

    private static func host(_ authority: ArraySlice<UInt8>) throws(DecodeError) -> String {
        var host = authority
        let colon = authority.lastIndex(of: UInt8(ascii: ":"))
        if let colon, authority.last != UInt8(ascii: "]") {
            host = authority[..<colon]
            let digits = String(decoding: authority[(colon + 1)...], as: UTF8.self)
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits), port > 0 else {
                throw DecodeError(.unexpectedValue, at: colon + 1, "expected a port from 1 to 65535")
            }
        }
        let text = String(decoding: host, as: UTF8.self)
        if text.isByteEqual(to: "[::1]") { return text }
        guard !host.isEmpty else { throw DecodeError(.missing, at: authority.startIndex, "expected a host") }
        for index in host.indices where !isHostCharacter(host[index]) {
            throw DecodeError(.invalidText, at: index, "a host has letters, digits, dots and hyphens only")
        }
        return text
    }

    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"): true
        default: false
        }
    }

    private static func isPathCharacter(_ byte: UInt8) -> Bool {
        isHostCharacter(byte) || [UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "~")].contains(byte)
    }

    /// The URL.
    package var description: String { text }
}
