import AssayCore
import Foundation
import NIOCore

/// The file of a unix socket.
enum UnixSocket {
    /// Removes the file of a service that has ended. A socket on which a program listens stays.
    ///
    /// - Throws: ``ServiceError`` for a file that is no socket, and for a socket in use.
    static func prepare(_ path: String) throws(ServiceError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw ServiceError("unix:\(path): the file is no socket; remove it, or name another path")
        }
        guard !isListening(path) else { throw ServiceError("unix:\(path): another program listens there") }
        unlink(path)
    }

    private static func isListening(_ path: String) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return withAddress(path) { connect(descriptor, $0, $1) == 0 }
    }

    /// The name of a peer whose login name is not known.
    static let unknownPeer = "unix-socket"

    /// The login name of the user who connected; ``unknownPeer`` if the system has none.
    static func peerName(_ channel: any Channel) async -> String {
        guard let options = channel as? any SocketOptionProvider else { return unknownPeer }
        let found: EventLoopFuture<PeerCredentials> = options.unsafeGetSocketOption(
            level: .socket, name: .init(rawValue: SO_PEERCRED))
        guard let user = try? await found.get().user else { return unknownPeer }
        var entry = passwd()
        var result: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &result) == 0, result != nil, let name = entry.pw_name
        else { return unknownPeer }
        let text = String(cString: name)
        return LedgerRules.objection(toOperatorName: text) == nil ? text : unknownPeer
    }

    /// `struct ucred` of unix(7).
    private struct PeerCredentials: Sendable {
        var process: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
    }

    /// Calls `body` with the address of a path.
    static func withAddress<Result>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            // A name that begins with @ is abstract: its first byte is zero.
            let name = Array(path.utf8).prefix(bytes.count - 1)
            bytes.copyBytes(from: name.first == UInt8(ascii: "@") ? [0] + name.dropFirst() : name)
        }
        let length = MemoryLayout<sa_family_t>.size + path.utf8.count + (path.hasPrefix("@") ? 0 : 1)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}

/// Why a service cannot start.
package struct ServiceError: Error, CustomStringConvertible {
    /// What is wrong, and what to do.
    package let description: String

    init(_ description: String) { self.description = description }
}
