public import AssayCore
import Foundation

/// Where a secret comes from: `file:PATH` or `env:NAME`. The secret itself is neither a value of a policy nor an argument.
public enum SecretSource: Sendable, Equatable {
    /// A file.
    case file(path: String)
    /// An environment variable of this process.
    case environment(name: String)

    /// The two forms, for help and errors.
    public static let allowed = "file:PATH or env:NAME"

    /// Reads a source as written.
    ///
    /// - Parameters:
    ///   - text: `file:PATH` or `env:NAME`.
    ///   - folder: what a relative path is relative to; without it, the working directory.
    /// - Throws: ``SecretSourceError``, which does not show the text when it is neither: it may be the secret itself.
    public init(_ text: String, relativeTo folder: String? = nil) throws(SecretSourceError) {
        if let path = SecretSource.rest(of: text, after: "file:") {
            guard !path.isEmpty, !path.utf8.contains(0) else {
                throw SecretSourceError(.form, "expected file:PATH, found a path that is empty or has a NUL in it")
            }
            let isRelative = path.utf8.first != UInt8(ascii: "/")
            self = .file(path: isRelative && folder != nil ? "\(folder ?? "")/\(path)" : path)
        } else if let name = SecretSource.rest(of: text, after: "env:") {
            // POSIX.1-2017 section 8.1: names have no '=' in them.
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

    /// The source as written, without what it holds. Long text is cut, and control characters are escaped.
    public var name: String {
        switch self {
        case .file(let path): path.excerpt(atMost: 1024)
        case .environment(let name): "environment variable \(name.excerpt)"
        }
    }

    /// Reads what the source holds, byte by byte as it is there. Blocks the thread.
    ///
    /// - Parameters:
    ///   - limit: how many bytes it may have.
    ///   - isSecret: whether a file must be kept from others: one of this user may be accessible to nobody else, one of
    ///     another user, such as root, writable for that user only and readable for its group at most.
    /// - Throws: ``SecretSourceError``: which source, what is wrong, and what to do.
    public func read(
        limit: Int = InputLimits.keyPart, isSecret: Bool = true
    ) throws(SecretSourceError) -> SecretBytes {
        switch self {
        case .file(let path): return try SecretFile.read(path, limit: limit, isSecret: isSecret)
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

/// A secret that cannot be read, or must not be read from where it is.
public struct SecretSourceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, in a word that programs match.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable code in kebab case.
        public let name: String

        /// Names a code.
        public init(_ name: String) { self.name = name }

        /// The stable code.
        public var description: String { name }

        /// The source is not written as one.
        public static let form = Code("form")
        /// There is no such file or variable.
        public static let missing = Code("missing")
        /// The file may not be read, or reading it failed.
        public static let unreadable = Code("unreadable")
        /// The file is a folder, a pipe, a device or a socket.
        public static let notRegular = Code("not-regular")
        /// The file or variable has no bytes.
        public static let empty = Code("empty")
        /// The file or variable has more bytes than anything that belongs there.
        public static let tooLarge = Code("too-large")
        /// Others may read the file.
        public static let exposed = Code("exposed")
    }

    /// What is wrong.
    public let code: Code
    /// Which source, what is wrong with it, and what to do. It shows nothing of the secret.
    public let message: String

    /// Describes what is wrong with a source.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The sentence.
    public var description: String { message }
}
