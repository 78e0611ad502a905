import AssayPrimitives
import NIOCore

/// The settings of forward auth.
package struct AuthorizationRules: Sendable {
    /// The gateway that asks, which decides where the original request stands.
    package enum Dialect: String, Sendable, CaseIterable {
        /// nginx `auth_request`: `X-Original-Method`, `X-Original-URI`, `X-Original-Host`, `X-Real-IP`.
        case nginx
        /// HAProxy with a Lua action: the same fields.
        case haproxy
        /// Caddy `forward_auth`: `X-Forwarded-Method`, `X-Forwarded-Uri`, `X-Forwarded-Host`, `X-Forwarded-For`.
        case caddy
        /// Traefik `ForwardAuth`: the same fields.
        case traefik
        /// Envoy `ext_authz` over HTTP: the client's request line behind a prefix, its `Host`, and `X-Forwarded-For`.
        case envoy

        /// Whether the gateway can send the client's body with its request.
        var canForwardBodies: Bool { self == .traefik || self == .envoy }
    }

    /// Whether the gateway sends the client's bodies.
    package enum Bodies: String, Sendable, CaseIterable {
        /// No. nginx, HAProxy and Caddy state with `X-Original-Body: none` that a request has none.
        case withheld
        /// Yes, whole.
        case forwarded
    }

    /// The statuses of a refusal in an outage, for gateways that know only 401 and 403.
    package enum OutageStatus: String, Sendable, CaseIterable {
        case unauthorized = "401"
        case forbidden = "403"
        case unavailable = "503"
    }

    /// The gateway; nil if there is no forward auth.
    package var dialect: Dialect?
    /// Who may ask.
    package var peers: [TrustedPeers] = []
    /// The origins of target URIs.
    package var origins: [String] = []
    /// Whether bodies are sent.
    package var bodies = Bodies.withheld
    /// The answer in an outage.
    package var outageStatus = OutageStatus.unavailable
    /// Whether answers contain the whole verdict. Encoding it costs more than verifying a token.
    package var sendsVerdict = false

    /// No forward auth.
    package init() {}
}

/// Peers that are trusted to state what a client sent.
package enum TrustedPeers: Sendable, Equatable {
    /// Every program that may connect to the unix socket.
    case unix
    /// The addresses of a range.
    case addresses(AddressRange)

    /// Reads `unix`, an address, or a range in CIDR notation; nil for another form.
    init?(_ text: String) {
        if text == "unix" {
            self = .unix
        } else if let range = AddressRange(text) {
            self = .addresses(range)
        } else {
            return nil
        }
    }

    /// Whether they include many organisations' addresses.
    var arePublic: Bool {
        switch self {
        case .unix: false
        case .addresses(let range): range.isPublic
        }
    }

    /// Whether a peer is one of them.
    func contain(_ peer: SocketAddress?, isUnix: Bool) -> Bool {
        switch self {
        case .unix: isUnix
        case .addresses(let range):
            !isUnix && (peer?.ipAddress.flatMap { IPAddress($0) }.map(range.contains) ?? false)
        }
    }
}
