/// Where a listener waits for connections.
package enum ListenAddress: Sendable, Equatable {
    /// A host, IPv4 or IPv6 address, and a port; 0 for any free one.
    case tcp(host: String, port: Int)
    /// The path of a unix socket. The mode of its file decides who may connect.
    case unix(path: String)

    /// The allowed forms, for messages.
    package static let forms = "HOST:PORT, [IPV6]:PORT or unix:PATH"

    /// What a message about a text of another form adds; empty for nothing.
    package static func advice(on text: String) -> String {
        if text.utf8.starts(with: "unix:".utf8) {
            return text.utf8.count > 112 ? "; the path has \(text.utf8.count - 5) bytes, and may have 107" : ""
        }
        guard let colon = text.lastIndex(of: ":"), let number = Int(text[text.index(after: colon)...]) else {
            return ""
        }
        return number > UInt16.max ? "; a port is at most 65535" : ""
    }

    /// Reads `HOST:PORT`, `[IPV6]:PORT` or `unix:PATH`; nil for another form.
    package init?(_ text: String) {
        if text.utf8.starts(with: "unix:".utf8) {
            let path = String(text.dropFirst(5))
            // The limit of sockaddr_un, with its final NUL.
            guard (1...107).contains(path.utf8.count), !path.utf8.contains(0) else { return nil }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = Self.port(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self = .tcp(host: String(host), port: port)
    }

    private static func port(_ digits: Substring) -> Int? {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
            return nil
        }
        return Int(port)
    }

    /// Whether only programs of this machine can connect.
    package var isLocal: Bool {
        switch self {
        case .tcp(let host, _): ["127.0.0.1", "::1", "localhost"].contains(host)
        case .unix: true
        }
    }

    /// Whether the system chooses the port.
    package var isAnyPort: Bool {
        guard case .tcp(_, 0) = self else { return false }
        return true
    }

    /// The path of a unix socket; nil for TCP.
    package var path: String? {
        guard case .unix(let path) = self else { return nil }
        return path
    }

    /// The address as written.
    package var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
