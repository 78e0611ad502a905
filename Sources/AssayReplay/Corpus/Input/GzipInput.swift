import CZlib

/// Decompresses a gzip file (RFC 1952), member after member.
@safe final class GzipInput: ByteInput {
    /// The first bytes (RFC 1952 section 2.3.1: ID1, ID2).
    static let magic: [UInt8] = [0x1F, 0x8B]

    private let file: any PositionedInput
    // zlib stores the address of the stream: it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let input: UnsafeMutableRawBufferPointer
    /// Whether the last member ended.
    private var isBetweenMembers = false
    private var isAtEnd = false
    private var memberStart = 0

    init(_ file: any PositionedInput) throws(InputFailure) {
        self.file = file
        unsafe stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        unsafe input = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
        // 15: the largest window, in bits. 16: gzip format only.
        let result = unsafe inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard result == Z_OK else { throw InputFailure(message: "zlib cannot be used: error \(result)") }
    }

    deinit {
        // If inflateInit2 failed, this does nothing and returns an error.
        unsafe inflateEnd(stream)
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
        unsafe input.deallocate()
    }

    /// The file position of zlib's next input byte.
    private var position: Int { unsafe file.position - Int(stream.pointee.avail_in) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(InputFailure) -> Int {
        let room = min(buffer.count, 1 << 30)
        while !isAtEnd {
            unsafe stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: Bytef.self)
            unsafe stream.pointee.avail_out = UInt32(room)
            let result = unsafe inflate(stream, Z_NO_FLUSH)
            let count = unsafe room - Int(stream.pointee.avail_out)
            switch result {
            case Z_OK: isBetweenMembers = false
            case Z_STREAM_END:
                isBetweenMembers = true
                memberStart = position
                unsafe inflateReset(stream)
            case Z_BUF_ERROR:
                // zlib needs more input.
                if count == 0 { try refill() }
            default:
                // Return the decompressed bytes first: zlib repeats the error on the next call.
                if count == 0 { throw damage(result) }
            }
            if count > 0 { return count }
        }
        return 0
    }

    private func refill() throws(InputFailure) {
        let count = unsafe try file.read(into: input)
        guard count > 0 else {
            guard isBetweenMembers else {
                throw InputFailure(message: "byte \(file.position): the compressed data end in the middle")
            }
            isAtEnd = true
            return
        }
        unsafe stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: Bytef.self)
        unsafe stream.pointee.avail_in = UInt32(count)
    }

    private func damage(_ result: Int32) -> InputFailure {
        // Bytes after the first member without a gzip header are trailing data, not damage.
        if result == Z_DATA_ERROR, unsafe stream.pointee.total_in <= UInt(GzipInput.magic.count) {
            return InputFailure(message: "byte \(memberStart): what follows the compressed data is not gzip")
        }
        let words = unsafe stream.pointee.msg.map { unsafe String(cString: $0) } ?? "zlib says \(result)"
        return InputFailure(message: "byte \(position): the compressed data are damaged: \(words)")
    }
}

/// Decompresses gzip (RFC 1952) in memory.
package enum Gzip {
    /// Whether the bytes begin with the gzip magic number.
    package static func isBeginning(of bytes: [UInt8]) -> Bool { bytes.starts(with: GzipInput.magic) }

    /// Decompresses all members up to the end or to the damage, which it describes; nil if the result has more than `limit` bytes.
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
