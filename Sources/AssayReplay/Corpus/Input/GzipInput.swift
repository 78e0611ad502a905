import CZlib

/// What a file that is compressed with gzip (RFC 1952) stands for: its members one after the other.
@safe final class GzipInput: ByteInput {
    /// What such a file begins with (RFC 1952 section 2.3.1: ID1, ID2).
    static let magic: [UInt8] = [0x1F, 0x8B]

    private let file: FileInput
    // zlib keeps the address of the stream in what it allocates for it, so that it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let input: UnsafeMutableRawBufferPointer
    /// Whether all is read of the members so far.
    private var isBetweenMembers = false
    private var isAtEnd = false
    private var memberStart = 0

    init(_ file: FileInput) throws(InputFailure) {
        self.file = file
        unsafe stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        unsafe input = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
        // 15 bits of window, which is the most there is, and 16 for gzip and nothing else.
        let result = unsafe inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard result == Z_OK else { throw InputFailure(message: "zlib cannot be used: error \(result)") }
    }

    deinit {
        // Does nothing but return an error when there was no memory to begin with.
        unsafe inflateEnd(stream)
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
        unsafe input.deallocate()
    }

    /// The byte of the file that zlib would read next.
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
                // Nothing could be done without more input.
                if count == 0 { try refill() }
            default:
                // What was unpacked before the damage is handed out first: zlib tells of it again.
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
        // All members but the first are known by no more than the bytes that they begin with.
        if result == Z_DATA_ERROR, unsafe stream.pointee.total_in <= UInt(GzipInput.magic.count) {
            return InputFailure(message: "byte \(memberStart): what follows the compressed data is not gzip")
        }
        let words = unsafe stream.pointee.msg.map { unsafe String(cString: $0) } ?? "zlib says \(result)"
        return InputFailure(message: "byte \(position): the compressed data are damaged: \(words)")
    }
}
