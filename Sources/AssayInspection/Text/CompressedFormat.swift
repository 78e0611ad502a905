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
        return Inflation.decompress(bytes, form, limit: min(limit, bytes.count * ratio)).map { (form, $0) }
    }

    /// The most bytes of a result. Evidence has at most a tenth of them.
    private static let limit = 1 << 20
    /// The most bytes of a result for each byte of the stream: formats look at them before any budget is charged. Evidence
    /// compresses to a quarter at best.
    private static let ratio = 16
}
