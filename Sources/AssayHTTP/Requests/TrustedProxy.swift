import AssayCore
public import HTTPTypes

/// The fields that the proxy in front of the server sets. Without a proxy, clients can forge fields such as
/// `X-Forwarded-For`, and they are ignored.
public struct TrustedProxy: Sendable {
    /// The field to which each proxy appends its client's address; nil for none.
    package let addressField: HTTPField.Name?
    /// The field with the host that the client addressed; nil for `Host`.
    let hostField: HTTPField.Name?
    /// The position of the client's address, counted from the end of the field.
    let hops: Int

    /// No proxy: clients connect to the server directly.
    public static let none = TrustedProxy(addressField: nil, hostField: nil)

    /// Describes the proxy.
    ///
    /// - Parameters:
    ///   - addressField: such as `X-Forwarded-For`: comma-separated addresses, the last one from the nearest proxy. The proxy
    ///     must append to it or overwrite it.
    ///   - hostField: such as `X-Forwarded-Host`. The proxy must overwrite it.
    ///   - hops: the number of your own proxies that append to `addressField`, at least 1.
    public init(addressField: HTTPField.Name?, hostField: HTTPField.Name?, hops: Int = 1) {
        self.addressField = addressField
        self.hostField = hostField
        self.hops = max(1, hops)
    }

    /// The client's address; nil if unknown.
    func address(of fields: HTTPFields, peer: String?) -> String? {
        guard let addressField else { return peer }
        let addresses = fields[values: addressField].flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        guard addresses.count >= hops else { return nil }
        return Self.withoutPort(addresses[addresses.count - hops])
    }

    /// The authority that the client addressed; nil if it is unknown.
    ///
    /// - Parameter host: the host in the request.
    func authority(of request: HTTPRequest, host: String) -> String? {
        guard let hostField else { return host }
        let values = request.headerFields[values: hostField]
        return values.count == 1 ? values[0] : nil
    }

    /// The `Host` or `:authority` of a request; nil if it is missing, repeated or malformed (RFC 9112 section 3.2).
    static func host(of request: HTTPRequest) -> String? {
        // HTTPTypes stores the first HTTP/1 `Host` as the authority, and a second one among the fields.
        var hosts = hostName.map { request.headerFields[values: $0] } ?? []
        if let authority = request.authority { hosts.append(authority) }
        return hosts.count == 1 && ServerOrigins.isHost(hosts[0]) ? hosts[0] : nil
    }

    private static let hostName = HTTPField.Name("Host")

    /// `203.0.113.7`, `203.0.113.7:4711`, `2001:db8::1` and `[2001:db8::1]:4711`, as proxies write them.
    private static func withoutPort(_ text: Substring) -> String {
        var bytes = HTTPFieldText.trimmed(Array(text.utf8)[...])
        if bytes.first == UInt8(ascii: "["), let end = bytes.firstIndex(of: UInt8(ascii: "]")) {
            return String(decoding: bytes[(bytes.startIndex + 1)..<end], as: UTF8.self)
        }
        let colons = bytes.count { $0 == UInt8(ascii: ":") }
        if colons == 1, let colon = bytes.firstIndex(of: UInt8(ascii: ":")) { bytes = bytes[..<colon] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
