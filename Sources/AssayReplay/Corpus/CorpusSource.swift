import AssayCore

/// What hands out the records of a corpus, in their order.
public protocol CorpusSource {
    /// The next records, and nil after the last ones. Blocks the thread while they are read.
    ///
    /// - Throws: ``CorpusError`` when the corpus cannot be read at all. A file or a line that cannot be read is an item of
    ///   a batch, and what follows it is read.
    mutating func next() throws(CorpusError) -> CorpusBatch?

    /// Whether ``next()`` has something to do by then, so that it need not be waited for whoever writes the corpus.
    ///
    /// - Parameter milliseconds: how long this may block the thread.
    mutating func isReady(within milliseconds: Int) -> Bool
}

extension CorpusSource {
    /// Always: the corpus is there.
    public mutating func isReady(within milliseconds: Int) -> Bool { true }
}

/// A corpus that cannot be read at all, since it is asked for in a way that has no meaning.
public struct CorpusError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, and what to do.
    public let message: String

    /// Describes what is wrong.
    public init(_ message: String) {
        self.message = message
    }

    /// The sentence.
    public var description: String { message }
}

/// How a corpus is read.
public struct CorpusOptions: Sendable {
    /// Whether each line is a number, a tab and a record, as distributed engines hand lines to their mappers. The number
    /// is the line that places name. There are no JSON documents then, and nothing at all is no fault.
    ///
    /// Such engines may carry text only, so that a line can also be a number, a tab, `=` and the record in standard base64
    /// with padding. No JSON begins with `=`.
    public var isNumbered = false
    /// What standard input is called.
    public var standardInputName = "standard input"
    /// How many bytes are read at once, at least 1. Lines are handed out as slices of what was read at once.
    package var chunkSize = 256 * 1024
    /// How many records a batch has at most.
    package var batchSize = 64
    /// How many bytes a line or a document may have.
    package var recordLimit = InputLimits.record

    /// The usual way.
    public init() {}
}
