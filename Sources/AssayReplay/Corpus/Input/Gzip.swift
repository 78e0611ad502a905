/// Decompresses gzip (RFC 1952) in memory.
package enum Gzip {
    /// Whether the bytes begin with the gzip magic number.
    package static func isBeginning(of bytes: [UInt8]) -> Bool { bytes.starts(with: GzipInput.magic) }

    /// Decompresses all members.
    ///
    /// - Parameter limit: the maximum number of bytes of the result.
    /// - Returns: the bytes up to the end or to the damage, and a description of the damage; nil if the result exceeds
    ///   the limit.
    package static func decompress(_ bytes: [UInt8], limit: Int) -> (bytes: [UInt8], failure: InputFailure?)? {
        var result: [UInt8] = []
        do throws(InputFailure) {
            let input = try GzipInput(MemoryInput(bytes))
            while true {
                let (chunk, failure) = unsafe [UInt8].reading(atMost: 256 * 1024) {
                    (buffer, count) throws(InputFailure) in
                    count = unsafe try input.read(into: buffer)
                }
                if let failure { throw failure }
                guard !chunk.isEmpty else { return (result, nil) }
                result += chunk
                guard result.count <= limit else { return nil }
            }
        } catch {
            return (result, error)
        }
    }
}

/// Bytes in memory as a stream.
private final class MemoryInput: PositionedInput {
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(InputFailure) -> Int {
        let piece = bytes[position...].prefix(buffer.count)
        unsafe buffer.copyBytes(from: piece)
        position += piece.count
        return piece.count
    }
}
