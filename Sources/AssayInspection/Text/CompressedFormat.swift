import AssayCore
import CZlib

/// Compressed bytes: gzip (RFC 1952), zlib (RFC 1950), and raw deflate (RFC 1951) as `NSData.compressed(using: .zlib)` makes it.
package enum CompressedFormat: BlobFormat {
    package static let name = "compressed bytes"

    /// Recognises the headers of gzip and zlib; without a header, bytes that are one whole stream with CBOR, DER or JSON in it.
    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard let (form, contents) = contents(of: bytes) else { return nil }
        if form == .raw {
            let known = [CBORFormat.recognise(contents), DERFormat.recognise(contents), JSONFormat.recognise(contents)]
            guard known.contains(where: { ($0?.certainty ?? .guess) > .guess }) else { return nil }
        }
        return Recognition(
            .certain, because: "it is one \(form.words) stream of \(Words.count(contents.count, "byte"))")
    }

    /// Names the form. The decompressed bytes become a nested blob.
    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        guard let (form, contents) = contents(of: bytes) else {
            return BlobContents([Annotation("stream", at: bytes.indices, violation: "it cannot be decompressed")])
        }
        return BlobContents(
            [Annotation("stream", at: bytes.indices, value: form.words, meaning: Words.count(contents.count, "byte"))],
            nested: [NestedBlob("decompressed bytes", encoding: form.words, bytes: contents, at: bytes.indices)])
    }

    private static func contents(of bytes: [UInt8]) -> (Inflation.Form, [UInt8])? {
        guard bytes.count >= 16 else { return nil }
        let form: Inflation.Form
        if bytes.starts(with: [0x1F, 0x8B]) {
            form = .gzip
        } else if bytes[0] & 0x0F == 8, (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0 {
            form = .zlib
        } else if bytes[0] & 0x06 != 0x06, bytes[0] & 0x06 != 0 {
            form = .raw
        } else {
            return nil
        }
        return Inflation.decompress(bytes, form).map { (form, $0) }
    }
}

/// Decompresses small blobs with zlib.
private enum Inflation {
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

    /// The most bytes of a result. Evidence has at most a tenth of them.
    private static let limit = 1 << 20
    /// The most bytes of a result for each byte of the stream: formats look at them before any budget is charged. Evidence
    /// compresses to a quarter at best.
    private static let ratio = 16

    /// The decompressed bytes; nil unless they are one whole stream, without bytes behind it, of at most ``limit`` bytes and
    /// ``ratio`` times those of the stream.
    static func decompress(_ bytes: [UInt8], _ form: Form) -> [UInt8]? {
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
        let limit = min(limit, bytes.count * ratio)
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
