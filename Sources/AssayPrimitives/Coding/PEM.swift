/// Reads certificates in the textual encoding of RFC 7468.
package enum PEM {
    private static let begin = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"

    /// Returns the certificates of a file, in order. Lines end with LF or CRLF, and may have spaces and tabs around
    /// them. Text between the blocks is allowed, as in bundles. Inside a block, only base64 is allowed.
    /// - Throws: ``DecodeError`` if the file is not UTF-8 or has no certificate, an unterminated or undecodable one, or
    ///   a block with another label, such as a private key.
    package static func certificates(in bytes: [UInt8]) throws(DecodeError) -> [Certificate] {
        var certificates: [Certificate] = []
        for block in try blocks(in: bytes) { certificates.append(try Certificate(der: block.der[...])) }
        return certificates
    }

    /// Returns the contents of the certificate blocks of a file, and where each begins, by the same rules.
    package static func blocks(in bytes: [UInt8]) throws(DecodeError) -> [(offset: Int, der: [UInt8])] {
        do {
            try UTF8Text.validate(bytes[...])
        } catch {
            throw DecodeError(error.reason, at: error.offset, "the file is not UTF-8 text")
        }
        var blocks: [(offset: Int, der: [UInt8])] = []
        var body: (start: Int, base64: [UInt8])?
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            let offset = line.startIndex
            let text = trimmed(line)
            let isBegin = text.elementsEqual(begin.utf8)
            if text.starts(with: "-----BEGIN ".utf8), !isBegin {
                throw DecodeError(
                    .unexpected, at: offset,
                    "only CERTIFICATE blocks are allowed, found \(String(decoding: text, as: UTF8.self).excerpt)")
            }
            guard let block = body else {
                if isBegin { body = (offset, []) }
                continue
            }
            guard !isBegin else { throw DecodeError(.malformed, at: offset, "a block begins inside of another") }
            guard text.elementsEqual(end.utf8) else {
                body?.base64 += text
                continue
            }
            let der: [UInt8]
            do {
                der = try Base64.decode(block.base64[...], .standard)
            } catch {
                throw DecodeError(error.reason, at: block.start, "the block is not base64: \(error.message)")
            }
            blocks.append((block.start, der))
            body = nil
        }
        if let body { throw DecodeError(.truncated, at: body.start, "the block does not end with \(end)") }
        guard !blocks.isEmpty else { throw DecodeError(.missing, at: 0, "the file has no \(begin) block") }
        return blocks
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
        let rest = line.drop(while: isSpace)
        return rest[..<((rest.lastIndex { !isSpace($0) } ?? rest.startIndex - 1) + 1)]
    }
}
