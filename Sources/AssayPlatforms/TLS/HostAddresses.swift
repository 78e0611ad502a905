import Foundation
import NIOCore

/// Resolves names with the system's resolver.
enum HostAddresses {
    /// The addresses of a name for TCP, without duplicates. Blocks.
    static func resolve(_ host: String, port: Int) throws(TLSProbeError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        // No IPv6 addresses on a machine without IPv6: it could not ask them.
        hints.ai_flags = AI_ADDRCONFIG
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &first)
        guard status == 0 else {
            throw .noAddress(
                status == EAI_SYSTEM ? String(cString: strerror(errno)) : String(cString: gai_strerror(status)))
        }
        defer { freeaddrinfo(first) }
        var found: [SocketAddress] = []
        var next = first
        while let entry = next {
            if let address = address(entry.pointee), !found.contains(address) { found.append(address) }
            next = entry.pointee.ai_next
        }
        guard !found.isEmpty else { throw .noAddress("the name has neither an IPv4 nor an IPv6 address") }
        return found
    }

    private static func address(_ entry: addrinfo) -> SocketAddress? {
        guard let pointer = UnsafeRawPointer(entry.ai_addr) else { return nil }
        return switch entry.ai_family {
        case AF_INET: SocketAddress(pointer.loadUnaligned(as: sockaddr_in.self))
        case AF_INET6: SocketAddress(pointer.loadUnaligned(as: sockaddr_in6.self))
        default: nil
        }
    }
}
