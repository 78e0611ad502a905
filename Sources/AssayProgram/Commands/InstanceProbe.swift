import AssayCore
import AssayPlatforms
import Foundation

/// Finds out whether another instance of Assay can be reached.
struct InstanceProbe: Sendable {
    private static let timeout = Duration.seconds(10)
    /// Public, and answered by every instance with tokens.
    private static let path = "/.well-known/openid-configuration"
    private let exchange: HTTPExchange?
    private let host: String

    /// - Parameter url: where it is; nil if none is to be probed.
    /// - Throws: `PolicyError` for a URL of another form.
    init(_ url: String?) throws(PolicyError) {
        guard let url else {
            (exchange, host) = (nil, "")
            return
        }
        // Brackets of an IPv6 address are not part of it.
        do throws(DecodeError) { host = try ServerURL(url).host.filter { !"[]".contains($0) } } catch {
            throw PolicyError(field: "failover.primary", error.message)
        }
        exchange = HTTPExchange(answerLimit: 65_536, connectTimeout: Self.timeout, time: .system)
    }

    /// Why an instance cannot be reached; nil if it can.
    ///
    /// An instance that answers with a problem of its own is reached, such as one whose tokens an operator has stopped. A gateway that
    /// does not reach the instance answers with 502, 503 or 504, and without the media type of problems.
    func objection(to url: String) async -> String? {
        guard let exchange, await Self.hasAddress(host) else { return nil }
        do throws(HTTPFailure) {
            let answer = try await exchange.get(url + Self.path, fields: [], within: Self.timeout)
            let type = answer.field("Content-Type") ?? ""
            return answer.status < 500 || type.hasPrefix("application/problem+json") ? nil : answer.summary
        } catch {
            switch error {
            case .cut(let status, _, _) where status < 500: return nil
            case .unanswered(_, let sentence), .cut(_, _, let sentence): return Self.canConnect ? sentence : nil
            case .notConnected(isOfServer: true, let sentence): return Self.canConnect ? sentence : nil
            // This machine's resolver, network or trusted roots: nothing is known of the instance.
            case .notConnected(isOfServer: false, _): return nil
            case .cancelled, .shutDown: return nil
            }
        }
    }

    /// Whether a name has an address. Asked apart from the connection, whose time may also run out for a resolver that does not answer.
    private static func hasAddress(_ host: String) async -> Bool {
        let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
        Thread.detachNewThread {
            var found: UnsafeMutablePointer<addrinfo>?
            answer.yield(getaddrinfo(host, nil, nil, &found) == 0)
            freeaddrinfo(found)
        }
        for await hasAddress in answers { return hasAddress }
        // The task was cancelled.
        return false
    }

    /// Whether this process can open a socket. Without one, such as when clients hold all of its files, nothing is known of the first
    /// instance, and no client must be able to turn failover on.
    private static var canConnect: Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    /// Closes the connections.
    func shutdown() async { await exchange?.shutdown() }
}
