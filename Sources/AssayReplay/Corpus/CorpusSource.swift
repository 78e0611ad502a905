import AssayCore

/// Supplies the records of a corpus in their order.
package protocol CorpusSource {
    /// The next records; nil after the last ones. Blocks the thread. A file or line that cannot be read is an item of a
    /// batch, and reading continues behind it.
    mutating func next() -> CorpusBatch?

    /// Whether ``next()`` can return without blocking on the producer.
    ///
    /// - Parameter milliseconds: how long to wait for that.
    mutating func isReady(within milliseconds: Int) -> Bool
}

extension CorpusSource {
    /// Always true.
    package mutating func isReady(within milliseconds: Int) -> Bool { true }
}

/// A corpus that cannot be read because its paths make no sense.
public struct CorpusError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, and what to do.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// How a corpus is read.
package struct CorpusOptions: Sendable {
    /// Whether every file has one record per line, whatever its first line looks like, and may be empty.
    package var isLines = false
    /// How many bytes to read at once, at least 1. Lines are slices of these pieces.
    package var chunkSize = 256 * 1024
    /// The most records of a batch.
    package var batchSize = 64
    /// The most bytes of a line or a document.
    package var recordLimit = InputLimits.record
    /// The most blank lines of a file: a few kilobytes decompress to billions of them.
    package var blankLineLimit = 16 * 1024 * 1024

    /// The form of each file is recognised by its first line.
    package init() {}
}
