import CZlib

/// Decompresses blobs with zlib, within a limit.
enum Inflation {
    /// The form of a stream. The value is zlib's number of bits of the window with the form.
    enum Form: Int32 {
        case gzip = 31
        case zlib = 15
        case raw = -15

        var words: String {
            switch self {
            case .gzip: "gzip"
            case .zlib: "zlib"
            case .raw: "deflate"
            }
        }
    }

    /// The decompressed bytes; nil unless they are one whole stream, without bytes behind it, of at most `limit` bytes.
    static func decompress(_ bytes: [UInt8], _ form: Form, limit: Int) -> [UInt8]? {
        // zlib stores the address of the stream: it must not move.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        defer {
            unsafe inflateEnd(stream)
            unsafe stream.deinitialize(count: 1)
            unsafe stream.deallocate()
        }
        guard unsafe inflateInit2_(stream, form.rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else {
            return nil
        }
        var input = bytes
        var result: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        return unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe stream.pointee.next_in = input.baseAddress
            unsafe stream.pointee.avail_in = UInt32(input.count)
            while true {
                let (status, count) = unsafe chunk.withUnsafeMutableBufferPointer { chunk in
                    unsafe stream.pointee.next_out = chunk.baseAddress
                    unsafe stream.pointee.avail_out = UInt32(chunk.count)
                    let status = unsafe inflate(stream, Z_NO_FLUSH)
                    return unsafe (status, chunk.count - Int(stream.pointee.avail_out))
                }
                result += chunk[..<count]
                guard result.count <= limit else { return nil }
                if status == Z_STREAM_END { return unsafe stream.pointee.avail_in == 0 ? result : nil }
                guard status == Z_OK, count > 0 else { return nil }
            }
        }
    }
}
