import AssayHTTP
import AssayPrimitives
import Foundation
import HTTPTypes
import NIOHTTP1

/// The head of a request. A class, so that requests are copied with one reference.
final class RequestHead: Sendable {
    /// A field, with a name that requests share.
    typealias Field = (name: FieldName, value: String)

    let method: HTTPRequest.Method
    /// The field `Host`, which is none of the fields.
    let authority: String?
    /// The target in origin form: the path, and the query, if any.
    let target: String
    /// The target without the query.
    let path: String
    let fields: [Field]
    /// The known names among those of the fields.
    private let present: KnownField.Names

    /// - Parameter query: where the query begins in the target, in bytes; nil without one.
    init(method: HTTPRequest.Method, authority: String?, target: String, query: Int?, fields: [Field]) {
        (self.method, self.authority, self.target, self.fields) = (method, authority, target, fields)
        path = query.flatMap { String(target.utf8.prefix($0)) } ?? target
        var present = KnownField.Names()
        for index in fields.indices { present.insert(fields[index].name.known) }
        self.present = present
    }

    /// Takes the head of a request; nil for a method that is no token, and for a target or a `Host` that servers do not read alike
    /// (RFC 9112, section 3.2).
    convenience init?(_ received: HTTPRequestHead, _ names: inout FieldNames) {
        let method: HTTPRequest.Method
        switch received.method {
        case .GET: method = .get
        case .POST: method = .post
        default:
            guard let other = HTTPRequest.Method(received.method.rawValue) else { return nil }
            method = other
        }
        guard ServerOrigins.isTarget(received.uri) else { return nil }
        var authority: String?
        var fields: [Field] = []
        fields.reserveCapacity(received.headers.count)
        var index = 0
        for (text, value) in received.headers {
            defer { index += 1 }
            guard let name = names.name(text, at: index) else { continue }
            if name.known == .host {
                guard authority == nil, ServerOrigins.isHost(value) else { return nil }
                authority = value
            } else {
                // Bytes that no value may have become spaces.
                fields.append((name, HTTPField(name: name.name, value: value).value))
            }
        }
        // Only HTTP/1.0 allows none.
        guard authority != nil || received.version == .http1_0 else { return nil }
        let query = received.uri.utf8.firstIndex(of: UInt8(ascii: "?"))
        self.init(
            method: method, authority: authority, target: received.uri,
            query: query.map { received.uri.utf8.distance(from: received.uri.utf8.startIndex, to: $0) }, fields: fields)
    }

    /// The fields for libraries. Built anew by each call.
    var headers: HTTPFields { HTTPFields(fields.map { HTTPField(name: $0.name.name, value: $0.value) }) }

    /// Whether there is a field with a name.
    func hasField(_ name: KnownField) -> Bool { present.contains(name) }

    /// The values of the fields with a name, joined as a list; nil without one.
    func value(_ name: KnownField) -> String? {
        guard present.contains(name) else { return nil }
        var found: String?
        for index in fields.indices where fields[index].name.known == name {
            found = found.map { $0 + ", " + fields[index].value } ?? fields[index].value
        }
        return found
    }

    /// The values of the fields with a name.
    func values(_ name: KnownField) -> [String] {
        guard present.contains(name) else { return [] }
        var values: [String] = []
        for index in fields.indices where fields[index].name.known == name { values.append(fields[index].value) }
        return values
    }
}

/// The name of a field. A class, so that requests share it.
final class FieldName: Sendable {
    let name: HTTPField.Name
    let known: KnownField

    /// Nil for a text that is no name.
    init?(_ text: String) {
        guard let name = HTTPField.Name(text) else { return nil }
        self.name = name
        known = KnownField(canonicalName: name.canonicalName)
    }
}

/// The names of fields that the service reads itself. Each name of a connection is compared with them once.
enum KnownField: UInt8, Sendable, CaseIterable {
    /// Any other name.
    case other
    case host, connection, proxyConnection, upgrade
    case contentLength, transferEncoding, contentType, authorization, traceParent
    case originalMethod, originalURI, originalHost, originalBody, realIP
    case forwardedMethod, forwardedURI, forwardedHost, forwardedFor, envoyPartialBody

    /// The name.
    var text: String {
        switch self {
        case .other: ""
        case .host: "Host"
        case .connection: "Connection"
        case .proxyConnection: "Proxy-Connection"
        case .upgrade: "Upgrade"
        case .contentLength: "Content-Length"
        case .transferEncoding: "Transfer-Encoding"
        case .contentType: "Content-Type"
        case .authorization: "Authorization"
        case .traceParent: "traceparent"
        case .originalMethod: "X-Original-Method"
        case .originalURI: "X-Original-URI"
        case .originalHost: "X-Original-Host"
        case .originalBody: "X-Original-Body"
        case .realIP: "X-Real-IP"
        case .forwardedMethod: "X-Forwarded-Method"
        case .forwardedURI: "X-Forwarded-Uri"
        case .forwardedHost: "X-Forwarded-Host"
        case .forwardedFor: "X-Forwarded-For"
        case .envoyPartialBody: "X-Envoy-Auth-Partial-Body"
        }
    }

    /// The name that a canonical one is.
    init(canonicalName: String) {
        self = Self.all.first { $0.name.isByteEqual(to: canonicalName) }?.field ?? .other
    }

    private static let all = allCases.filter { $0 != .other }.map { (name: $0.text.lowercased(), field: $0) }

    /// Some names.
    struct Names {
        private var bits: UInt32 = 0

        mutating func insert(_ name: KnownField) { bits |= 1 << UInt32(name.rawValue) }

        func contains(_ name: KnownField) -> Bool { bits & (1 << UInt32(name.rawValue)) != 0 }
    }
}

/// The names of the fields of the last request of a connection, by their places: clients send the same ones again.
struct FieldNames {
    /// What a connection keeps at most.
    private static let count = 32
    private static let length = 64
    private var last: [FieldName] = []

    /// How many names are kept.
    var count: Int { last.count }

    /// The name with a text, in the place `index`; nil for a text that is no name.
    mutating func name(_ text: String, at index: Int) -> FieldName? {
        if index < last.count, last[index].name.rawName.isByteEqual(to: text) { return last[index] }
        guard let name = FieldName(text) else { return nil }
        guard text.utf8.count <= Self.length else { return name }
        if index < last.count {
            last[index] = name
        } else if index == last.count, index < Self.count {
            last.append(name)
        }
        return name
    }

    /// Reads a name and the colon behind it.
    ///
    /// - Parameter position: where the name begins; afterwards, where the value does.
    mutating func name(
        in bytes: Span<UInt8>, from position: inout Int, at index: Int
    ) throws(PlainRequest.Obstacle) -> FieldName {
        if index < last.count {
            let name = last[index]
            let end = position + name.name.rawName.utf8.count
            if end < bytes.count, bytes[end] == UInt8(ascii: ":"), bytes.holdText(name.name.rawName, at: position) {
                position = end + 1
                return name
            }
        }
        var end = position
        while end < bytes.count, bytes[end] != UInt8(ascii: ":") {
            // No name has it. Without this, a line without a colon would be waited for.
            guard bytes[end] > 0x20, bytes[end] < 0x7F else { throw .unusual }
            end += 1
        }
        guard end < bytes.count else { throw .incomplete }
        guard let name = name(bytes.text(position..<end), at: index) else { throw .unusual }
        position = end + 1
        return name
    }
}

extension Span<UInt8> {
    /// The text of some of the bytes.
    func text(_ range: Range<Int>) -> String {
        extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether the bytes from a place on begin with a text.
    func holdText(_ text: String, at start: Int) -> Bool {
        let length = text.utf8.count
        guard length > 0, start + length <= count else { return length == 0 }
        return extracting(start..<(start + length)).withUnsafeBufferPointer { found in
            let isEqual = text.utf8.withContiguousStorageIfAvailable { text in
                guard let left = found.baseAddress, let right = text.baseAddress else { return false }
                return memcmp(left, right, length) == 0
            }
            return isEqual ?? found.elementsEqual(text.utf8)
        }
    }
}
