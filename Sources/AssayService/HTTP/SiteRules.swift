import AssayPrimitives
import HTTPTypes

/// Refuses requests that a web page makes a browser send to a listener that demands no token.
///
/// Pages of other sites can send requests to loopback addresses, and to a unix socket through a forwarded port. Browsers say so in
/// `Sec-Fetch-Site` and `Origin`. By DNS rebinding, a page lets its own name lead to the listener, and the browser sees one site:
/// then `Host` has that name. IP addresses and `localhost` cannot be rebound.
struct SiteRules: Sendable {
    /// Whether the listener is that of operators or of metrics, none of whose endpoints are for pages.
    private let isForOperators: Bool
    /// Whether requests are checked at all.
    private let isChecked: Bool
    /// Whether `Host` is compared with the names. Listeners on other addresses have names of which the service does not know, and
    /// demand tokens.
    private let comparesHost: Bool
    private let isUnix: Bool
    private let names: [String]

    /// - Parameters:
    ///   - isOpen: whether requests need no token.
    ///   - names: names of the configuration.
    init(_ address: ListenAddress, isForOperators: Bool, isOpen: Bool, names: [String]) {
        self.isForOperators = isForOperators
        isChecked = isForOperators || isOpen
        comparesHost = isForOperators ? address.isLocal : isOpen
        isUnix = address.path != nil
        self.names = names.map { $0.lowercased() }
    }

    /// Refuses a request for an endpoint.
    ///
    /// On the public listener, endpoints for all clients are not checked: gateways ask them in the name of clients, with their fields.
    func require(_ request: Request, _ endpoint: Endpoint) throws(Problem) {
        if case .all = endpoint.access, !isForOperators { return }
        guard isChecked else { return }
        let authority = request.head.authority
        if comparesHost, let authority, !isAllowed(host: Self.host(of: authority)) {
            throw Problem(
                .forbidden, .hostNotAllowed,
                "found Host: \(authority.excerpt); allowed are localhost, IP addresses and the names in allowedHosts of the configuration"
            )
        }
        // Says only whether the service is up.
        if HealthEndpoints.paths.contains(endpoint.path) { return }
        let sites = request.headers[values: .secFetchSite]
        guard sites.allSatisfy({ ["same-origin", "none"].contains($0) }) else {
            throw Problem(
                .forbidden, .crossSite,
                "a page of another site sent the request: found Sec-Fetch-Site: \(sites.joined(separator: ", ").excerpt), and allowed are same-origin and none"
            )
        }
        let origins = request.headers[values: .origin]
        guard origins.allSatisfy({ isOwn(origin: $0, authority) }) else {
            throw Problem(
                .forbidden, .crossSite,
                "a page of another site sent the request: found Origin: \(origins.joined(separator: ", ").excerpt), which is not that of Host"
            )
        }
    }

    private func isAllowed(host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || names.contains(host) { return true }
        if IPAddress(host) != nil { return true }
        // Clients of unix sockets make up a name, such as `http://unix/`. No DNS server answers for a name without a period.
        return isUnix && !isForOperators && !host.contains(".")
    }

    private func isOwn(origin: String, _ authority: String?) -> Bool {
        let parts = origin.lowercased().split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, ["http:", "https:"].contains(parts[0]), parts[1].isEmpty else { return false }
        let found = String(parts[2])
        return found == authority?.lowercased() || names.contains(Self.host(of: found))
    }

    /// The host of an authority, without port, brackets and the final period of DNS, in lower case.
    static func host(of authority: String) -> String {
        var host = authority.lowercased()[...]
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
            // Nothing but a port may follow: `[::1].example` is no address.
            guard [nil, ":"].contains(host[end...].dropFirst().first) else { return String(host) }
            host = host[host.index(after: host.startIndex)..<end]
        } else {
            host = host.prefix { $0 != ":" }
        }
        if host.hasSuffix(".") { host.removeLast() }
        return String(host)
    }
}

extension HTTPField.Name {
    fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
}
