/// Bytes that come one after the other.
protocol ByteInput: AnyObject {
    /// Reads at least one byte, as long as there are any. Blocks the thread.
    ///
    /// - Parameter buffer: where they are written to; not empty.
    /// - Returns: how many there were, and 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(InputFailure) -> Int
}

/// Why bytes cannot be read, or not any further.
struct InputFailure: Error, Equatable {
    /// What was found, with the byte of the file where that matters.
    let message: String
}
