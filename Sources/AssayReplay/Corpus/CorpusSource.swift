import AssayCore

/// Supplies the records of a corpus in order.
package protocol CorpusSource {
    /// The next records; nil at the end. Blocks the thread. An unreadable file or line is an item; reading continues.
    mutating func next() -> CorpusBatch?

    /// Whether ``next()`` can return without blocking on the producer.
    mutating func isReady(within milliseconds: Int) -> Bool
}

extension CorpusSource {
    /// Always true.
    package mutating func isReady(within milliseconds: Int) -> Bool { true }
}

/// Invalid paths for a corpus.
public struct CorpusError: Error, Sendable, CustomStringConvertible {
    /// The error and its remedy.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

package struct CorpusOptions: Sendable {
    /// Whether every file has one record per line; then its form is not detected, and it may be empty.
    package var isLines = false
    /// Whether each file is a part of another one, so that the numbers at the ends of sealed records mean nothing.
    package var isPart = false
    /// How many bytes to read at once, at least 1. Lines are slices of these chunks.
    package var chunkSize = 256 * 1024
    /// The most records of a batch.
    package var batchSize = 64
    /// The most bytes of a line or a document.
    package var recordLimit = InputLimits.record
    /// The most blank lines of a file: a few kilobytes decompress to billions of them.
    package var blankLineLimit = 16 * 1024 * 1024

    /// Detects the form of each file from its first line.
    package init() {}
}
