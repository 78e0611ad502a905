import AssayHTTP
import HTTPTypes
import NIOHTTP1

/// A request whose head has arrived whole and is so plain that every parser reads it alike. Any other request is left to NIO's
/// decoder: an unusual method, target, space or line end, chunks, a field `Upgrade`, an end of the connection, an error.
struct PlainRequest {
    let head: RequestHead
    /// The length of the head, with the empty line at its end.
    let headLength: Int
    let bodyLength: Int

    /// Reads the request at the beginning of some bytes; nil if it is none, or not whole.
    init?(_ bytes: Span<UInt8>, _ names: inout FieldNames, _ limits: NIOHTTPDecoderLimitConfiguration) {
        let method: HTTPRequest.Method
        if bytes.hold("GET ", at: 0) {
            method = .get
        } else if bytes.hold("POST ", at: 0) {
            method = .post
        } else {
            return nil
        }
        var position = method == .get ? 4 : 5
        guard let (target, query) = Self.target(bytes, &position), bytes.hold(" HTTP/1.1\r\n", at: position) else {
            return nil
        }
        position += 11
        var fields = Fields(room: names.count)
        while !bytes.hold("\r\n", at: position) {
            guard fields.count < limits.maxHeaderFieldCount, fields.read(bytes, &position, &names) else { return nil }
        }
        headLength = position + 2
        bodyLength = fields.length ?? 0
        // The sum of what NIO's decoder counts is less.
        guard let authority = fields.authority, headLength <= limits.maxHeaderListSize,
            headLength <= limits.maxHeaderFieldSize
        else { return nil }
        head = RequestHead(
            method: method, authority: authority, target: target, query: query, fields: fields.fields)
    }

    /// A path and perhaps a query (RFC 3986, sections 3.3 and 3.4).
    private static func target(_ bytes: Span<UInt8>, _ position: inout Int) -> (text: String, query: Int?)? {
        let start = position
        var query: Int?
        guard start < bytes.count, bytes[start] == UInt8(ascii: "/") else { return nil }
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

        /// Reads the line of a field; false if it is not plain.
        mutating func read(_ bytes: Span<UInt8>, _ position: inout Int, _ known: inout FieldNames) -> Bool {
            guard let name = known.name(in: bytes, from: &position, at: count) else { return false }
            count += 1
            if position < bytes.count, bytes[position] == UInt8(ascii: " ") { position += 1 }
            let start = position
            bytes.skipValue(&position)
            guard position > start, !Self.isSpace(bytes[start]), !Self.isSpace(bytes[position - 1]),
                bytes.hold("\r\n", at: position)
            else { return false }
            let value = bytes.text(start..<position)
            position += 2
            switch name.known {
            case .host:
                guard authority == nil, ServerOrigins.isHost(value) else { return false }
                authority = value
                return true
            case .connection:
                guard value == "keep-alive" || value == "Keep-Alive" else { return false }
            case .contentLength:
                guard length == nil, let number = Self.length(value) else { return false }
                length = number
            case .transferEncoding, .upgrade, .proxyConnection: return false
            default: break
            }
            fields.append((name, value))
            return true
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

    /// Whether there is a text in a place.
    fileprivate func hold(_ text: StaticString, at start: Int) -> Bool {
        guard start + text.utf8CodeUnitCount <= count else { return false }
        for index in 0..<text.utf8CodeUnitCount where self[start + index] != text.utf8Start[index] { return false }
        return true
    }
}
