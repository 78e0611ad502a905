import AssayHTTP
import AssayPrimitives
import HTTPTypes
import NIOHTTP1

/// A request whose head has arrived whole and is so plain that every parser reads it alike. Any other request is left to NIO's
/// decoder: an unusual method, target, space or line end, chunks, a field `Upgrade`, an end of the connection, an error.
struct PlainRequest {
    let head: RequestHead
    /// The length of the head, with the empty line at its end.
    let headLength: Int
    let bodyLength: Int

    /// Why there is no such request at the beginning of some bytes.
    enum Obstacle: Error {
        /// All bytes are plain, and more are to come.
        case incomplete
        /// NIO's decoder must read it.
        case unusual
    }

    /// Reads the request at the beginning of some bytes.
    init(
        _ bytes: Span<UInt8>, _ names: inout FieldNames, _ limits: NIOHTTPDecoderLimitConfiguration
    ) throws(Obstacle) {
        let method = bytes.count > 0 && bytes[0] == UInt8(ascii: "G") ? HTTPRequest.Method.get : .post
        var position = 0
        try bytes.take(method == .get ? "GET " : "POST ", from: &position)
        let (target, query) = try Self.target(bytes, &position)
        try bytes.take(" HTTP/1.1\r\n", from: &position)
        var fields = Fields(room: names.count)
        while position >= bytes.count || bytes[position] != UInt8(ascii: "\r") {
            guard fields.count < limits.maxHeaderFieldCount else { throw .unusual }
            try fields.read(bytes, &position, &names)
        }
        try bytes.take("\r\n", from: &position)
        (headLength, bodyLength) = (position, fields.length ?? 0)
        // The sum of what NIO's decoder counts is less.
        guard let authority = fields.authority, headLength <= limits.maxHeaderListSize,
            headLength <= limits.maxHeaderFieldSize
        else { throw .unusual }
        head = RequestHead(
            method: method, authority: authority, target: target, query: query, fields: fields.fields)
    }

    /// A path and perhaps a query (RFC 3986, sections 3.3 and 3.4).
    private static func target(
        _ bytes: Span<UInt8>, _ position: inout Int
    ) throws(Obstacle) -> (text: String, query: Int?) {
        let start = position
        var query: Int?
        try bytes.take("/", from: &position)
        let fitting = targetBytes
        while position < bytes.count, bytes[position] < 128,
            (bytes[position] < 64 ? fitting.low : fitting.high) >> UInt64(bytes[position] & 63) & 1 == 1
        {
            if bytes[position] == UInt8(ascii: "?"), query == nil { query = position - start }
            position += 1
        }
        return (bytes.text(start..<position), query)
    }

    /// The bytes of paths and queries, as bits.
    private static let targetBytes: (low: UInt64, high: UInt64) = {
        let bytes = "!$%&'()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~".utf8
        return bytes.reduce(into: (0, 0)) { bits, byte in
            if byte < 64 { bits.0 |= 1 << UInt64(byte) } else { bits.1 |= 1 << UInt64(byte - 64) }
        }
    }()

    /// The fields of a head.
    private struct Fields {
        private(set) var authority: String?
        private(set) var length: Int?
        private(set) var fields: [RequestHead.Field] = []
        /// How many were read, with `Host`.
        private(set) var count = 0

        init(room: Int) { fields.reserveCapacity(room) }

        /// Reads the line of a field.
        mutating func read(
            _ bytes: Span<UInt8>, _ position: inout Int, _ known: inout FieldNames
        ) throws(Obstacle) {
            let name = try known.name(in: bytes, from: &position, at: count)
            count += 1
            if position < bytes.count, bytes[position] == UInt8(ascii: " ") { position += 1 }
            let start = position
            bytes.skipValue(&position)
            let end = position
            try bytes.take("\r\n", from: &position)
            guard end > start, !Self.isSpace(bytes[start]), !Self.isSpace(bytes[end - 1]) else { throw .unusual }
            let value = bytes.text(start..<end)
            switch name.known {
            case .host:
                guard authority == nil, ServerOrigins.isHost(value) else { throw .unusual }
                authority = value
                return
            case .connection:
                guard value.isByteEqual(to: "keep-alive") || value.isByteEqual(to: "Keep-Alive") else { throw .unusual }
            case .contentLength:
                guard length == nil, let number = Self.length(value) else { throw .unusual }
                length = number
            case .transferEncoding, .upgrade, .proxyConnection: throw .unusual
            default: break
            }
            fields.append((name, value))
        }

        /// Digits without a zero in front.
        private static func length(_ text: String) -> Int? {
            guard text.utf8.count <= 15, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                text.utf8.first != 0x30 || text.utf8.count == 1
            else { return nil }
            return Int(text)
        }

        private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    }
}

extension Span<UInt8> {
    /// Goes behind the bytes that a value may have (RFC 9110, section 5.5): neither controls, except tabs, nor line ends.
    fileprivate func skipValue(_ position: inout Int) {
        // Eight bytes at once, as long as none is below 0x20 or is 0x7F: the highest bit of each says so.
        let (ones, highs) = (UInt64.max / 255, UInt64.max / 255 &* 128)
        while position + 8 <= count {
            let word = bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
            let deletes = word ^ (ones &* 0x7F)
            let isBelow = (word &- ones &* 0x20) & ~word & highs
            guard isBelow | ((deletes &- ones) & ~deletes & highs) == 0 else { break }
            position += 8
        }
        while position < count {
            let byte = self[position]
            guard byte >= 0x20 && byte != 0x7F || byte == 0x09 else { return }
            position += 1
        }
    }

    /// Goes behind a text.
    fileprivate func take(_ text: StaticString, from position: inout Int) throws(PlainRequest.Obstacle) {
        for index in 0..<text.utf8CodeUnitCount {
            guard position + index < count else { throw .incomplete }
            guard self[position + index] == text.utf8Start[index] else { throw .unusual }
        }
        position += text.utf8CodeUnitCount
    }
}
