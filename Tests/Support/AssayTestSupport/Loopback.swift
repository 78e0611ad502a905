import Foundation

/// The network interface on which servers of tests listen.
package enum Loopback {
    /// A port of 127.0.0.1 that no other program gets.
    package static func freePort() throws -> Int { try reserve(0) }

    /// Keeps a port of 127.0.0.1 from all programs that ask for any free one, until this process ends. A server with
    /// SO_REUSEADDR may listen on it; until one does, the port refuses connections.
    ///
    /// - Parameter port: the port, which nobody else uses now; 0 for any.
    /// - Returns: the port.
    @discardableResult
    package static func reserve(_ port: Int) throws -> Int {
        // Never closed: it is what keeps the port.
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var (isReusable, length) = (Int32(1), socklen_t(MemoryLayout<sockaddr_in>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReusable, socklen_t(MemoryLayout<Int32>.size)) == 0
                    && bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard status else { throw CocoaError(.fileReadUnknown, userInfo: ["errno": errno, "port": port]) }
        return Int(in_port_t(bigEndian: address.sin_port))
    }
}
