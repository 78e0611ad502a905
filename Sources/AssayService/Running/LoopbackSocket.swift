import Foundation
import NIOCore

/// A socket that listens on a loopback address. Opened before the service, so that files can name the port that the system has chosen.
package struct LoopbackSocket: Sendable {
    /// How many connections may wait to be accepted.
    private static let backlog: Int32 = 1024

    let descriptor: Int32
    /// The address with its port.
    package let address: ListenAddress

    /// Opens a socket. Until a service runs on it, its connections wait.
    ///
    /// - Parameter wanted: 127.0.0.1, [::1] or localhost, which is 127.0.0.1 here, and a port; 0 for any free one.
    /// - Throws: ``ServiceError`` for another address, and for a port that another program has.
    package init(_ wanted: ListenAddress) throws(ServiceError) {
        guard case .tcp(let host, let port) = wanted, wanted.isLocal else {
            throw ServiceError(
                "\(wanted.description) is no address of this machine alone; allowed are 127.0.0.1:PORT, [::1]:PORT and localhost:PORT"
            )
        }
        let isIPv6 = host.contains(":")
        descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, Self.bind(descriptor, to: isIPv6 ? "::1" : "127.0.0.1", port),
            Foundation.listen(descriptor, Self.backlog) == 0
        else {
            let number = errno
            if descriptor >= 0 { Foundation.close(descriptor) }
            throw ServiceError(
                "cannot listen on \(wanted.description): \(String(cString: strerror(number)))"
                    + (number == EADDRINUSE
                        ? "; end the program that listens there, or take another port, 0 for any free one" : ""))
        }
        guard case .tcp(_, let bound) = try InheritedSockets.address(of: descriptor) else {
            throw ServiceError("the socket of \(wanted.description) has no address")
        }
        address = .tcp(host: host, port: bound)
    }

    private static func bind(_ descriptor: Int32, to host: String, _ port: Int) -> Bool {
        var reuse: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        guard let address = try? SocketAddress(ipAddress: host, port: port) else { return false }
        return address.withSockAddr { Foundation.bind(descriptor, $0, socklen_t($1)) } == 0
    }
}
