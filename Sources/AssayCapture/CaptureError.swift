/// Why a record could not be captured, or a captured one not opened.
public struct CaptureError: Error, Sendable, CustomStringConvertible {
    /// A stable code that programs match.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code in kebab case.
        public let name: String

        /// The code in kebab case.
        public var description: String { name }

        /// The folder cannot be created, read or written.
        public static let folder = Code(name: "folder")
        /// A file cannot be written: a full disk, a quota, a limit.
        public static let file = Code(name: "file")
        /// The record was written, but older files cannot be removed.
        public static let retention = Code(name: "retention")
        /// The capture was closed.
        public static let closed = Code(name: "closed")
        /// The record is too large to be read again, or its sensitive fields are unknown.
        public static let record = Code(name: "record")
        /// A key is malformed, or the wrong one.
        public static let key = Code(name: "key")
        /// A sealed record cannot be opened.
        public static let sealed = Code(name: "sealed")
        /// An option is out of range.
        public static let option = Code(name: "option")
    }

    /// The code.
    public let code: Code
    /// What failed, and why. It contains nothing of the record.
    public let message: String

    /// The sentence.
    public var description: String { message }

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
