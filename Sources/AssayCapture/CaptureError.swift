/// Why a record could not be captured, or a captured one not opened.
public struct CaptureError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, in a word that programs match.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable code in kebab case.
        public let name: String

        /// Names a code.
        public init(_ name: String) { self.name = name }

        /// The stable code.
        public var description: String { name }

        /// The folder cannot be made, looked into or written to.
        public static let folder = Code("folder")
        /// A file cannot be written to: a full disk, a quota, a limit.
        public static let file = Code("file")
        /// The record was written, and older files cannot be removed.
        public static let retention = Code("retention")
        /// The capture was closed.
        public static let closed = Code("closed")
        /// The record cannot be written such that it can be read: it is too large, or what is to be left out is not known.
        public static let record = Code("record")
        /// A key is none, or not the one.
        public static let key = Code("key")
        /// A sealed record that cannot be opened.
        public static let sealed = Code("sealed")
        /// An option out of range.
        public static let option = Code("option")
    }

    /// What is wrong.
    public let code: Code
    /// What was being done, and what went wrong. It shows nothing of the record.
    public let message: String

    /// Describes what went wrong.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The sentence.
    public var description: String { message }
}
