/// Why a server's certificates were not read. The description is a sentence without the name of the host.
package enum TLSProbeError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The name has no address, or the resolver does not answer: the reason.
    case noAddress(String)
    /// The name has more addresses than ``TLSProbe/maximumAddresses``.
    case tooManyAddresses(Int)
    /// The address refuses the connection, or no route leads to it: the system's text.
    case refused(String)
    /// Connection and handshake took longer than this many seconds.
    case timeout(Double)
    /// The server does not speak TLS, such as one of plain HTTP.
    case notTLS
    /// The handshake failed before a certificate arrived: the reason in words.
    case handshake(String)
    /// The handshake is complete or failed, and the server presented no certificate.
    case noCertificate
    /// More or longer certificates than are read: what was found and what is allowed.
    case tooLarge(String)
    /// A certificate that is not one, such as a cut one: which one, and the reason.
    case unreadable(String)

    /// A fixed word for programs.
    package var code: String {
        switch self {
        case .noAddress, .tooManyAddresses: "no-address"
        case .refused: "refused"
        case .timeout: "timeout"
        case .notTLS: "not-tls"
        case .handshake: "handshake"
        case .noCertificate: "no-certificate"
        case .tooLarge: "too-large"
        case .unreadable: "unreadable"
        }
    }

    package var description: String {
        switch self {
        case .noAddress(let reason): "no address: \(reason)"
        case .tooManyAddresses(let count):
            "the name has \(count) addresses; at most \(TLSProbe.maximumAddresses) are asked: name one with --address"
        case .refused(let reason): "no connection: \(reason)"
        case .timeout(let seconds): "no TLS handshake within \(Duration.seconds(seconds).inWords)"
        case .notTLS: "the server does not speak TLS on this port"
        case .handshake(let reason): "the TLS handshake failed: \(reason)"
        case .noCertificate: "the server presents no certificate"
        case .tooLarge(let reason), .unreadable(let reason): reason
        }
    }
}
