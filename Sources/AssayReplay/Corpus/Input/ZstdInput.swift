import CZstd

/// Decompresses a zstd file (RFC 8878), frame after frame.
@safe final class ZstdInput: ByteInput {
    /// The largest window, as a power of two in bytes: 128 MiB, the default limit of the `zstd` program.
    private static let windowLog: Int32 = 27

    private let file: FileInput
    private let context: OpaquePointer
    private let buffer: UnsafeMutableRawBufferPointer
    private var input: ZSTD_inBuffer
    /// Whether the last frame ended.
    private var isBetweenFrames = false
    /// Whether zstd may hold output that needs no more input.
    private var hasOutput = false
    private var isAtEnd = false

    /// Whether the bytes begin with a frame or a skippable frame (RFC 8878 sections 3.1.1 and 3.1.2).
    static func isMagic(_ bytes: ArraySlice<UInt8>) -> Bool {
        let bytes = Array(bytes.prefix(4))
        guard bytes.count == 4 else { return false }
        return bytes == [0x28, 0xB5, 0x2F, 0xFD] || (bytes[0] & 0xF0 == 0x50 && bytes[1...] == [0x2A, 0x4D, 0x18])
    }

    init(_ file: FileInput) throws(InputFailure) {
        guard let context = unsafe ZSTD_createDCtx() else { throw InputFailure(message: "zstd cannot be used") }
        self.file = file
        unsafe self.context = context
        unsafe buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 * 1024, alignment: 16)
        unsafe input = ZSTD_inBuffer(src: buffer.baseAddress, size: 0, pos: 0)
        let result = unsafe ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, ZstdInput.windowLog)
        guard ZSTD_isError(result) == 0 else { throw InputFailure(message: "zstd cannot be used") }
    }

    deinit {
        unsafe ZSTD_freeDCtx(context)
        unsafe buffer.deallocate()
    }

    func read(into target: UnsafeMutableRawBufferPointer) throws(InputFailure) -> Int {
        while !isAtEnd {
            if unsafe input.pos == input.size, !hasOutput {
                try refill()
                continue
            }
            var output = unsafe ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
            let result = unsafe ZSTD_decompressStream(context, &output, &input)
            guard ZSTD_isError(result) == 0 else {
                let words = unsafe String(cString: ZSTD_getErrorName(result))
                let position = unsafe file.position - (input.size - input.pos)
                throw InputFailure(message: "byte \(position): the compressed data are damaged: \(words)")
            }
            // Zero: the frame ended and all its output was returned.
            isBetweenFrames = result == 0
            hasOutput = unsafe result != 0 && output.pos == output.size
            if unsafe output.pos > 0 { return unsafe output.pos }
        }
        return 0
    }

    private func refill() throws(InputFailure) {
        let count = unsafe try file.read(into: buffer)
        unsafe input = ZSTD_inBuffer(src: buffer.baseAddress, size: count, pos: 0)
        guard count == 0 else { return }
        guard isBetweenFrames else {
            throw InputFailure(message: "byte \(file.position): the compressed data end in the middle")
        }
        isAtEnd = true
    }
}
