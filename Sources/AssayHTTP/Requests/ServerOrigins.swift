import AssayCore

/// The origins of the server: scheme and authority of the target URIs that clients sign.
///
/// They are not taken from requests, whose fields an attacker can write. `Host` only selects one of several origins; an unknown
/// host is refused.
public struct ServerOrigins: Sendable {
    private struct Origin {
        let text: String
        /// The authority in lower case, with and without the default port.
        let authorities: [String]
    }

    private let origins: [Origin]

    /// Names the origins.
    ///
    /// - Parameter origins: such as `https://api.example.com`: scheme, host, and a port other than the scheme's own. A single
    ///   origin is used whatever `Host` is, since proxies rewrite it.
    /// - Throws: ``OriginError`` for a malformed or duplicate origin, and for none.
    public init(_ origins: String...) throws(OriginError) {
        try self.init(origins)
    }

    package init(_ origins: [String]) throws(OriginError) {
        guard !origins.isEmpty else {
            throw OriginError("no origin is given; expected such as https://api.example.com")
        }
        var parsed: [Origin] = []
        for text in origins {
            let origin = try Self.parse(text)
            let isKnown = parsed.contains { known in
                known.authorities.contains { origin.authorities.contains($0) }
            }
            guard !isKnown else {
                throw OriginError("two origins have the host of \(text.excerpt), and Host could not tell them apart")
            }
            parsed.append(origin)
        }
        self.origins = parsed
    }

    private static func parse(_ text: String) throws(OriginError) -> Origin {
        let bytes = text.utf8.map(HTTPFieldText.lowercase)
        guard let scheme = [("https://", ":443"), ("http://", ":80")].first(where: { bytes.starts(with: $0.0.utf8) })
        else { throw OriginError("\"\(text.excerpt)\" does not begin with https:// or http://") }
        let authority = bytes.dropFirst(scheme.0.utf8.count)
        guard !authority.isEmpty, authority.allSatisfy(isAuthorityByte) else {
            throw OriginError(
                "\"\(text.excerpt)\" is no origin; expected scheme, host and perhaps a port, such as "
                    + "https://api.example.com, without a path")
        }
        guard !authority.reversed().starts(with: scheme.1.utf8.reversed()) else {
            throw OriginError("\"\(text.excerpt)\" names the port that its scheme has anyway; clients do not")
        }
        let host = String(decoding: authority, as: UTF8.self)
        return Origin(text: String(decoding: bytes, as: UTF8.self), authorities: [host, host + scheme.1])
    }

    private static func isAuthorityByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
            UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: false
        }
    }

    /// Whether all bytes of a text fit. Strings of Swift are contiguous, and looked at faster as memory.
    private static func all(_ text: String, _ isFitting: (UInt8) -> Bool) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isFitting) } ?? text.utf8.allSatisfy(isFitting)
    }

    /// Whether a request target can be appended to an origin (RFC 9112 section 3.2). A fragment is refused, because
    /// routers read it as part of the path and signatures may omit it. A missing leading slash is refused, because it
    /// would extend the host.
    package static func isTarget(_ path: String) -> Bool {
        path.isByteEqual(to: "*")
            || path.utf8.first == UInt8(ascii: "/")
                && all(path) { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }
    }

    /// Whether a text is a host with an optional port and without user information.
    package static func isHost(_ text: String) -> Bool {
        !text.isEmpty
            && all(text) { byte in
                isAuthorityByte(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            }
    }

    /// Whether the fields `Host` of a request name one host (RFC 9112 section 3.2). Only HTTP/1.0 allows none.
    package static func isHost(_ fields: [String], isOptional: Bool) -> Bool {
        fields.isEmpty ? isOptional : fields.count == 1 && isHost(fields[0])
    }

    /// The target URI of a request: an origin, and path and query as received.
    ///
    /// - Parameters:
    ///   - path: the request target, `/v1/items?a=1`.
    ///   - authority: the authority that the client addressed, needed only with several origins.
    /// - Returns: nil for an unknown authority.
    func targetURI(path: String, authority: () -> String?) -> String? {
        // In asterisk form the target is the server itself (RFC 9112 section 3.3).
        let path = path.utf8.elementsEqual("*".utf8) ? "" : path
        if origins.count == 1, let only = origins.first { return only.text + path }
        return authority().flatMap(origin).map { $0.text + path }
    }

    /// Whether an authority belongs to an origin.
    package func contain(_ authority: String) -> Bool { origin(of: authority) != nil }

    private func origin(of authority: String) -> Origin? {
        origins.first { origin in
            origin.authorities.contains { HTTPFieldText.isName(authority, equalTo: $0) }
        }
    }
}

/// A malformed origin.
public struct OriginError: Error, Sendable, CustomStringConvertible {
    /// What was found, and what is expected.
    public let description: String

    init(_ description: String) { self.description = description }
}
