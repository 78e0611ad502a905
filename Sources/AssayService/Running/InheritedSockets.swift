import Foundation

/// The sockets that systemd has opened for the service (sd_listen_fds(3)), or the program itself.
struct InheritedSockets: Sendable {
    /// The descriptor of the public listener; nil if none is inherited.
    let publicListener: Int32?
    /// The descriptor of the listener of operators; nil if none is inherited.
    let admin: Int32?

    /// The first descriptor that a process inherits.
    private static let first: Int32 = 3

    /// Reads `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES`. Variables for another process count as absent.
    ///
    /// - Parameter services: how many services the process has. Several are refused: the names do not say which service a socket is for.
    /// - Throws: ``ServiceError`` for a name that is neither `public` nor `admin`, for a descriptor that does not listen, and for a process
    ///   with several services.
    init(_ environment: [String: String], process: Int32 = getpid(), services: Int = 1) throws(ServiceError) {
        guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == process else {
            (publicListener, admin) = (nil, nil)
            return
        }
        guard services == 1 else {
            throw ServiceError(
                "LISTEN_FDS: sockets of systemd are for a process with one configuration, found \(services): set listen and admin in each configuration, and disable the socket units"
            )
        }
        guard let text = environment["LISTEN_FDS"], let count = Int32(text), (0...2).contains(count) else {
            throw ServiceError(
                "LISTEN_FDS: expected at most 2 sockets, named public and admin, found \(environment["LISTEN_FDS"] ?? "none")"
            )
        }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        var found: [String: Int32] = [:]
        for index in 0..<count {
            let name = Int(index) < names.count ? String(names[Int(index)]) : ""
            guard ["public", "admin"].contains(name), found[name] == nil else {
                throw ServiceError(
                    "LISTEN_FDNAMES: expected the names public and admin, each once at most, found \(name.prefix(60)); set "
                        + "FileDescriptorName= in each socket unit")
            }
            let descriptor = Self.first + index
            var listens: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0, listens == 1 else {
                throw ServiceError(
                    "the inherited socket \(name), descriptor \(descriptor), accepts no connections: it must be of "
                        + "ListenStream=, with Accept=no")
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            found[name] = descriptor
        }
        (publicListener, admin) = (found["public"], found["admin"])
    }

    /// The socket of a listener that this process has opened.
    init(publicListener: Int32) { (self.publicListener, admin) = (publicListener, nil) }

    /// Where a socket is bound.
    static func address(of descriptor: Int32) throws(ServiceError) -> ListenAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
        }
        if isKnown, Int32(storage.ss_family) == AF_UNIX,
            withUnsafeBytes(of: storage, { $0[MemoryLayout<sa_family_t>.size] }) == 0
        {
            throw ServiceError(
                "the inherited unix socket of descriptor \(descriptor) has no file: every user of this machine may connect to an abstract "
                    + "socket; name a path in ListenStream=")
        }
        let address = isKnown ? Self.address(storage, length) : nil
        guard let address else {
            throw ServiceError("the inherited socket of descriptor \(descriptor) is neither TCP nor a unix socket")
        }
        return address
    }

    private static func address(_ storage: sockaddr_storage, _ length: socklen_t) -> ListenAddress? {
        switch Int32(storage.ss_family) {
        case AF_UNIX:
            let path = withUnsafeBytes(of: storage) { bytes in
                bytes.prefix(Int(length)).dropFirst(MemoryLayout<sa_family_t>.size).prefix { $0 != 0 }
            }
            return .unix(path: String(decoding: path, as: UTF8.self))
        case AF_INET, AF_INET6:
            var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
            let status = withUnsafePointer(to: storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getnameinfo(
                        $0, length, &host, socklen_t(host.count), &port, socklen_t(port.count),
                        NI_NUMERICHOST | NI_NUMERICSERV)
                }
            }
            func text(_ bytes: [CChar]) -> String {
                String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            }
            return status == 0 ? .tcp(host: text(host), port: Int(text(port)) ?? 0) : nil
        default: return nil
        }
    }
}
