public import AssayCore

/// Certificates in textual encoding, RFC 7468.
public enum PEM {
    private static let begin = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"

    /// The certificates of a file, in their order.
    ///
    /// Text between them is allowed, as in bundles that name each certificate; anything else between the boundaries
    /// than base64 is not.
    /// - Throws: ``DecodeError`` when the file is not UTF-8, holds no certificate, one that does not end, one that is
    ///   no certificate, or a block of another label, such as a private key.
    public static func certificates(in bytes: [UInt8]) throws(DecodeError) -> [Certificate] {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw DecodeError(.invalidText, at: 0, "the file is not UTF-8 text")
        }
        var certificates: [Certificate] = []
        var body: (start: Int, base64: String)?
        var offset = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let trimmed = String(line.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0.isWhitespace }.reversed())
            if trimmed.hasPrefix("-----BEGIN "), trimmed != begin {
                throw DecodeError(
                    .unexpected, at: offset, "only CERTIFICATE blocks are allowed, found \(trimmed.prefix(60))")
            }
            switch (trimmed, body) {
            case (begin, nil): body = (offset, "")
            case (begin, .some): throw DecodeError(.malformed, at: offset, "a block begins inside of another")
            case (end, .some(let block)):
                let der: [UInt8]
                do {
                    der = try Base64.decode(Array(block.base64.utf8)[...], .standard)
                } catch {
                    throw DecodeError(error.reason, at: block.start, "the block is not base64: \(error.message)")
                }
                certificates.append(try Certificate(der: der[...]))
                body = nil
            case (_, .some(let block)): body = (block.start, block.base64 + trimmed)
            case (_, nil): break
            }
            offset += line.utf8.count + 1
        }
        if let body { throw DecodeError(.truncated, at: body.start, "the block does not end with \(end)") }
        guard !certificates.isEmpty else { throw DecodeError(.missing, at: 0, "the file has no \(begin) block") }
        return certificates
    }
}
