import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Where a runtime secret stands in requests to the hosts that may have it.
public struct Substitution: Sendable {
    enum Place: Sendable {
        case header(String, prefix: String)
        case query(String)
    }

    let place: Place
    let secret: String
    private let hosts: Set<String>

    private init(_ place: Place, _ secret: String, _ hosts: [String]) {
        (self.place, self.secret, self.hosts) = (place, secret, Set(hosts.map { $0.lowercased() }))
    }

    /// A header field with the prefix and the secret. It replaces a field of the same name.
    ///
    /// - Parameter hosts: whole names; the secret goes to no other host.
    public static func header(_ name: String, prefix: String = "", secret: String, hosts: [String]) -> Substitution {
        Substitution(.header(name, prefix: prefix), secret, hosts)
    }

    /// A parameter of the query with the secret. It replaces parameters of the same name.
    ///
    /// - Parameter hosts: whole names; the secret goes to no other host.
    public static func query(_ name: String, secret: String, hosts: [String]) -> Substitution {
        Substitution(.query(name), secret, hosts)
    }

    /// Whether a request to the host gets the secret.
    func concerns(_ url: URL) -> Bool { hosts.contains(url.host?.lowercased() ?? "") }

    /// Writes the secret into a request with a normalised URL.
    func write(_ value: String, into request: inout URLRequest) throws(AssayClientError) {
        switch place {
        case .header(let name, let prefix):
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) else {
                throw AssayClientError(
                    .request, "the secret `\(secret)` cannot stand in a field: it has line ends or other characters")
            }
            request.setValue(prefix + value, forHTTPHeaderField: name)
        case .query(let name):
            let parts = request.url?.absoluteString.split(separator: "?", maxSplits: 1) ?? []
            let others = parts.dropFirst().joined().split(separator: "&", omittingEmptySubsequences: false).filter {
                let found = $0.prefix { $0 != "=" }.replacingOccurrences(of: "+", with: " ")
                return !$0.isEmpty && found.removingPercentEncoding != name
            }
            let own = Self.encoded(name) + "=" + Self.encoded(value)
            let query = (others.map(String.init) + [own]).joined(separator: "&")
            request.url = parts.first.flatMap { URL(string: "\($0)?\(query)") }
        }
    }

    /// Percent-encoded but for the unreserved characters of RFC 3986 section 2.3.
    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            let isUnreserved = byte < 0x80 && (character.isLetter || character.isNumber || "-._~".contains(character))
            let digits = (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            return isUnreserved ? String(character) : "%" + digits
        }.joined()
    }
}
