/// Frames of HTTP/2 (RFC 9113), for requests that no client library sends.
enum HTTP2Frames {
    /// What a client sends first: the preface, and empty settings.
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, flags: 0, stream: 0, [])

    /// The types of frames that end the wait for an answer.
    private static let (headers, reset, goAway): (UInt8, UInt8, UInt8) = (1, 3, 7)

    /// The fields of a request or of a trailer section, each as a literal of HPACK (RFC 7541 section 6.2.2).
    static func headers(_ fields: [(name: String, value: String)], stream: UInt32 = 1, isLast: Bool) -> [UInt8] {
        var block: [UInt8] = []
        for field in fields { block += [0] + text(field.name) + text(field.value) }
        return frame(headers, flags: isLast ? 5 : 4, stream: stream, block)
    }

    /// Bytes of a body.
    static func data(_ bytes: [UInt8], stream: UInt32 = 1, isLast: Bool) -> [UInt8] {
        frame(0, flags: isLast ? 1 : 0, stream: stream, bytes)
    }

    /// Whether the bytes of a server answer or refuse the stream, or end the connection.
    static func answer(_ bytes: [UInt8], stream: UInt32 = 1) -> Bool {
        // No server of HTTP/2.
        guard !bytes.starts(with: Array("HTTP/1".utf8)) else { return true }
        var rest = bytes[...]
        while rest.count >= 9 {
            let head = Array(rest.prefix(9))
            let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            let owner = head[5...].reduce(0) { $0 << 8 | UInt32($1) }
            if head[3] == goAway || owner == stream && [headers, reset].contains(head[3]) { return true }
            rest = rest.dropFirst(9 + length)
        }
        return false
    }

    private static func frame(_ type: UInt8, flags: UInt8, stream: UInt32, _ payload: [UInt8]) -> [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type, flags]
            + withUnsafeBytes(of: stream.bigEndian) { Array($0) } + payload
    }

    /// A string with its length, an integer with a prefix of seven bits (RFC 7541 sections 5.1 and 5.2).
    private static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var (length, coded) = (bytes.count - 127, [UInt8(127)])
        while length >= 128 {
            coded.append(UInt8(length & 0x7F) | 0x80)
            length >>= 7
        }
        return coded + [UInt8(length)] + bytes
    }
}
