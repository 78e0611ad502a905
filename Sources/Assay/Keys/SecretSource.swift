public import AssayCore
import Foundation

/// The place of a secret: `file:PATH` or `env:NAME`. A policy or an argument never contains the secret itself.
public enum SecretSource: Sendable, Equatable {
    /// A file.
    case file(path: String)
    /// An environment variable of this process.
    case environment(name: String)

    /// The two forms, for help and errors.
    package static let allowed = "file:PATH or env:NAME"

    /// Parses a source, `file:PATH` or `env:NAME`.
    ///
    /// - Parameter folder: the base of relative paths; nil for the working directory.
    /// - Throws: ``SecretSourceError``, which does not show a text of another form: it may be the secret itself.
    public init(_ text: String, relativeTo folder: String? = nil) throws(SecretSourceError) {
        if let path = SecretSource.rest(of: text, after: "file:") {
            guard !path.isEmpty, !path.utf8.contains(0) else {
                throw SecretSourceError(.form, "expected file:PATH, found a path that is empty or has a NUL in it")
            }
            let isRelative = path.utf8.first != UInt8(ascii: "/")
            self = .file(path: isRelative && folder != nil ? "\(folder ?? "")/\(path)" : path)
        } else if let name = SecretSource.rest(of: text, after: "env:") {
            // POSIX.1-2017 section 8.1: names contain no '='.
            guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "=")), !name.utf8.contains(0) else {
                throw SecretSourceError(.form, "expected env:NAME, found a name that is empty or has = in it")
            }
            self = .environment(name: name)
        } else {
            throw SecretSourceError(
                .form,
                "expected \(SecretSource.allowed), found \(text.utf8.count) bytes that are neither; a secret itself "
                    + "does not belong here, as others may read it here")
        }
    }

    private static func rest(of text: String, after prefix: String) -> String? {
        guard text.utf8.starts(with: prefix.utf8) else { return nil }
        return String(decoding: text.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }

    /// The text of the source, never its contents. Long text is shortened, and control characters are escaped.
    package var name: String {
        switch self {
        case .file(let path): path.excerpt(atMost: 1024)
        case .environment(let name): "environment variable \(name.excerpt)"
        }
    }

    /// Reads the contents of the source unchanged. Blocks the thread.
    ///
    /// No other user may have access to a file of this user. A file of another user, such as root, may be writable only
    /// for its owner, and readable at most for its group. No folder on the way, of the path or of a symbolic link, may be writable
    /// for every user, unless it has the sticky bit.
    /// - Throws: ``SecretSourceError``: the source, what is wrong, and what to do.
    public func read() throws(SecretSourceError) -> SecretBytes { try read(isSecret: true) }

    /// Reads at most `limit` bytes, as ``read()``. `isSecret` requires that a file is protected from other users.
    package func read(
        limit: Int = InputLimits.keyPart, isSecret: Bool = true
    ) throws(SecretSourceError) -> SecretBytes {
        switch self {
        case .file(let path):
            let subject = "the file \(path.excerpt(atMost: 1024))"
            let bytes = try TrustedFile.read(path, called: subject, limit: limit, isSecret: isSecret)
            guard bytes.count > 0 else { throw SecretSourceError(.empty, "\(subject) is empty") }
            return bytes
        case .environment(let name):
            guard let value = getenv(name) else {
                throw SecretSourceError(.missing, "the \(self.name) is not set")
            }
            let count = strlen(value)
            guard count > 0 else { throw SecretSourceError(.empty, "the \(self.name) is empty") }
            guard count <= limit else {
                throw SecretSourceError(
                    .tooLarge, "the \(self.name) has \(count) bytes, and at most \(limit) are allowed")
            }
            return SecretBytes(UnsafeRawBufferPointer(start: value, count: count))
        }
    }
}

/// A secret that cannot be read, or whose place is not safe.
public struct SecretSourceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason, for programs.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let name: String

        package init(_ name: String) { self.name = name }

        package var description: String { name }

        /// The text has neither form of a source.
        package static let form = Code("form")
        /// The file or variable does not exist.
        package static let missing = Code("missing")
        /// The file may not be read, or reading it failed.
        package static let unreadable = Code("unreadable")
        /// The file is a folder, a pipe, a device or a socket.
        package static let notRegular = Code("not-regular")
        /// The file or variable has no bytes.
        package static let empty = Code("empty")
        /// The file or variable is larger than the limit.
        package static let tooLarge = Code("too-large")
        /// Other users may read or replace the file.
        package static let exposed = Code("exposed")
    }

    package let reason: Code
    /// The stable code: `form`, `missing`, `unreadable`, `not-regular`, `empty`, `too-large` or `exposed`.
    public var code: String { reason.name }
    /// The source, what is wrong, and what to do. It contains nothing of the secret.
    public let message: String

    /// Describes why a source cannot be read.
    package init(_ code: Code, _ message: String) {
        self.reason = code
        self.message = message
    }

    /// The sentence.
    public var description: String { message }
}
