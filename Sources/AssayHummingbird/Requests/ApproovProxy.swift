import AssayCore
import AssayHTTPSignatures
import AssayPrimitives
public import HTTPTypes
import Hummingbird
import NIOCore

/// What the proxy in front of the server tells of clients. Without one, fields such as `X-Forwarded-For` are what anybody
/// may write, and are not looked at.
public struct ApproovProxy: Sendable {
    /// The field to which each proxy adds the address that it was called from, and nil when there is none.
    public let addressField: HTTPField.Name?
    /// The field in which the proxy passes on the host that the client addressed, and nil when it is `Host`.
    public let hostField: HTTPField.Name?
    /// How many proxies of your own add to ``addressField``: the client stands that far from its end.
    public let hops: Int

    /// No proxy: clients connect to the server.
    public static let none = ApproovProxy(addressField: nil, hostField: nil)

    /// States what the proxy does.
    ///
    /// - Parameters:
    ///   - addressField: such as `X-Forwarded-For`: addresses with commas between, of which the last is the one that the
    ///     nearest proxy added. The proxy must add to it or overwrite it.
    ///   - hostField: such as `X-Forwarded-Host`. The proxy must overwrite it.
    ///   - hops: how many proxies of your own add to `addressField`, at least 1.
    public init(addressField: HTTPField.Name?, hostField: HTTPField.Name?, hops: Int = 1) {
        self.addressField = addressField
        self.hostField = hostField
        self.hops = max(1, hops)
    }

    /// The address that a request came from, and nil when it is not known.
    func address(of fields: HTTPFields, channel: SocketAddress?) -> String? {
        guard let addressField else { return channel?.ipAddress }
        let addresses = fields[values: addressField].flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        guard addresses.count >= hops else { return nil }
        return Self.withoutPort(addresses[addresses.count - hops])
    }

    /// The authority that the client addressed, and nil when it is said not at all or several times.
    func authority(of request: HTTPRequest) -> String? {
        guard let hostField else {
            // A second Host is left among the fields. A server must refuse such a request (RFC 9112 section 3.2).
            let isRepeated = Self.host.map { request.headerFields.contains($0) } ?? false
            return isRepeated ? nil : request.authority
        }
        let values = request.headerFields[values: hostField]
        return values.count == 1 ? values[0] : nil
    }

    /// The name of the field that HTTP/1 has in place of `:authority`.
    private static let host = HTTPField.Name("Host")

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
