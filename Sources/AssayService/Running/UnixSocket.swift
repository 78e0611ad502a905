import AssayCore
import Foundation
import NIOCore

/// The file of a unix socket.
enum UnixSocket {
    /// Removes the file of a service that has ended. A socket on which a program listens stays.
    ///
    /// - Parameter key: the key of the configuration that has the address, for errors.
    /// - Throws: ``ServiceError`` for a file that is no socket, and for a socket in use.
    static func prepare(_ path: String, for key: String) throws(ServiceError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw ServiceError(
                "\(key): unix:\(path): the file is no socket; remove it, or set \(key) to another address")
        }
        if let use = use(of: path) {
            throw ServiceError("\(key): unix:\(path): \(use), or set \(key) to another address")
        }
        unlink(path)
    }

    /// Refuses an inherited unix socket to which every user of the machine may connect, with all rights of the listener: the mode of
    /// the file decides, and of the folders above it.
    static func requireMode(of address: ListenAddress, named name: String) throws(ServiceError) {
        guard let path = address.path else { return }
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            throw ServiceError(
                "the inherited socket \(name): \(path) is no socket that this service sees, and its mode decides who may connect; name a "
                    + "path in ListenStream= that the service can look at")
        }
        guard status.st_mode & S_IWOTH != 0 else { return }
        var folder = URL(fileURLWithPath: path).deletingLastPathComponent().resolvingSymlinksInPath()
        while true {
            // Connecting needs the right to search every folder.
            var above = stat()
            guard stat(folder.path, &above) == 0, above.st_mode & S_IXOTH != 0 else { return }
            guard folder.path != "/" else { break }
            folder.deleteLastPathComponent()
        }
        throw ServiceError(
            "the inherited socket \(name): every user of this machine may connect to \(path) (mode \(String(status.st_mode & 0o777, radix: 8))), "
                + "without a token; set SocketMode=0660 and SocketGroup= in its unit")
    }

    /// Which program may listen, and what to do; nil if none does. Never waits, not even for a place in the queue of a busy program.
    private static func use(of path: String) -> String? {
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        let reason = withAddress(ofFile: path) { connect(descriptor, $0, $1) == 0 ? 0 : errno }
        switch reason {
        case ECONNREFUSED, ENOENT: return nil
        case 0, EAGAIN: return "another program listens there; end it"
        default:
            return
                "it is unknown whether a program listens there (\(String(cString: strerror(reason)))); remove the file"
        }
    }

    /// Opens a socket that accepts connections of this user and its group at a path. A socket that NIO binds removes the file at its
    /// path when it closes, also that of a successor.
    ///
    /// - Returns: the descriptor, which the caller closes, and the file.
    /// - Throws: `IOError` with the reason of the system.
    static func open(_ path: String, backlog: Int32) throws -> (descriptor: Int32, file: SocketFile) {
        // sun_path of unix(7) has 108 bytes, the last one zero.
        guard fileName(path).utf8.count < 108 else { throw IOError(errnoCode: ENAMETOOLONG, reason: "bind") }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        guard withAddress(ofFile: path, { bind(descriptor, $0, $1) }) == 0 else {
            let reason = errno
            close(descriptor)
            throw IOError(errnoCode: reason, reason: "bind")
        }
        let file = SocketFile(path)
        // The mode first: no client can connect before `listen`.
        guard file.share(), listen(descriptor, backlog) == 0 else {
            let reason = errno
            close(descriptor)
            file.remove()
            throw IOError(errnoCode: reason, reason: "listen")
        }
        return (descriptor, file)
    }

    /// The address of a file, also of one whose name begins with @.
    private static func withAddress<Result>(
        ofFile path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withAddress(fileName(path), body)
    }

    private static func fileName(_ path: String) -> String { path.hasPrefix("@") ? "./\(path)" : path }

    /// The login name of the user who connected; `LedgerRules.unknownPeer` if the system has none.
    static func peerName(_ channel: any Channel) async -> String {
        guard let options = channel as? any SocketOptionProvider else { return LedgerRules.unknownPeer }
        let found: EventLoopFuture<PeerCredentials> = options.unsafeGetSocketOption(
            level: .socket, name: .init(rawValue: SO_PEERCRED))
        guard let user = try? await found.get().user else { return LedgerRules.unknownPeer }
        var entry = passwd()
        var result: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &result) == 0, result != nil, let name = entry.pw_name
        else { return LedgerRules.unknownPeer }
        let text = String(cString: name)
        return LedgerRules.objection(toAuthorName: text) == nil ? text : LedgerRules.unknownPeer
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

/// The file of a unix socket that this process has bound.
final class SocketFile: Sendable {
    private let path: String
    /// Open without rights (`O_PATH`), so that the system gives the number of the file to no other one.
    private let descriptor: Int32

    init(_ path: String) {
        self.path = path
        descriptor = Foundation.open(path, 0o10000000 | O_NOFOLLOW | O_CLOEXEC)
    }

    deinit { close(descriptor) }

    /// Lets this user and its group connect, and others not. False if the system refuses, with the reason in `errno`.
    func share() -> Bool {
        // By the descriptor, since another program may have put a link in the place of the file.
        chmod("/proc/self/fd/\(descriptor)", 0o660) == 0 || chmod(path, 0o660) == 0
    }

    /// Removes the file, but not one that another instance has bound in its place.
    func remove() {
        var (own, present) = (stat(), stat())
        guard fstat(descriptor, &own) == 0, lstat(path, &present) == 0, own.st_dev == present.st_dev,
            own.st_ino == present.st_ino
        else { return }
        unlink(path)
    }
}

/// Why a service cannot start.
package struct ServiceError: Error, CustomStringConvertible {
    /// What is wrong, and what to do.
    package let description: String

    init(_ description: String) { self.description = description }
}
