import AssayCore
package import AssayPrimitives
import FoundationEssentials

/// The form of `pins.json`: `{"api.example.com": ["PIN", {"pin": "PIN", "notAfter": "2027-01-31T00:00:00Z"}], "*": []}`.
extension PinSet {
    /// The largest document, in bytes: more than the most pins take.
    package static let maximumSize = LedgerDocument.maximumSize

    fileprivate static let jwe = "jwe"

    /// Reads a document.
    ///
    /// - Throws: ``DecodeError`` for other JSON, a member that is not known, or what ``set(_:)`` refuses.
    package init(json bytes: [UInt8]) throws(DecodeError) {
        try self.init(JSONReader.readObject(bytes, limit: PinSet.maximumSize))
    }

    /// Reads a document, by the same rules.
    package init(_ object: RecordObject) throws(DecodeError) {
        for member in object.members {
            do throws(DecodeError) {
                let domain = try PinSet.domain(member)
                guard self[domain.name] == nil else {
                    throw DecodeError(.duplicateKey, at: member.offset, "the domain stands there twice")
                }
                try set(domain)
            } catch {
                throw DecodeError(error.reason, at: max(error.offset, member.offset), field: error.field, error.message)
            }
        }
    }

    private static func domain(_ member: RecordObject.Member) throws(DecodeError) -> Domain {
        let name = member.name.excerpt
        guard case .array(let entries) = member.value.content else {
            throw DecodeError(
                .unexpectedType, at: member.value.offset, field: name,
                "expected a list of pins, found \(member.value.kindName)")
        }
        var domain = Domain(name: member.name)
        for (index, entry) in entries.enumerated() {
            do throws(DecodeError) {
                if case .text(let text) = entry.content, text.isByteEqual(to: jwe) {
                    domain.isJWE = true
                } else {
                    domain.pins.append(try pin(entry))
                }
            } catch {
                throw DecodeError(error.reason, at: entry.offset, field: "\(name)[\(index)]", error.message)
            }
        }
        return domain
    }

    private static func pin(_ value: RecordValue) throws(DecodeError) -> Pin {
        switch value.content {
        case .text(let text): return try Pin(text)
        case .object(let object):
            let known = ["pin", "notBefore", "notAfter"]
            if let other = object.members.first(where: { !known.containsBytes(of: $0.name) }) {
                throw DecodeError(
                    .unexpected, at: 0,
                    "no member \(other.name.excerpt); allowed are \(known.joined(separator: ", "))")
            }
            guard case .text(let text)? = object["pin"]?.content else {
                throw DecodeError(.missing, at: 0, "an object has the member pin, a text")
            }
            var pin = try Pin(text)
            pin.notBefore = try time(object["notBefore"], "notBefore")
            pin.notAfter = try time(object["notAfter"], "notAfter")
            if let start = pin.notBefore, let end = pin.notAfter, end < start {
                throw DecodeError(.unexpectedValue, at: 0, "notAfter is before notBefore")
            }
            return pin
        default:
            throw DecodeError(
                .unexpectedType, at: 0,
                "expected a pin, \(jwe), or an object with pin, notBefore and notAfter; found \(value.kindName)")
        }
    }

    private static func time(_ value: RecordValue?, _ name: String) throws(DecodeError) -> Date? {
        guard let value else { return nil }
        guard case .text(let text) = value.content, let time = RFC3339.parse(text) else {
            throw DecodeError(.unexpectedValue, at: 0, "\(name) is a time of RFC 3339, such as 2027-01-31T00:00:00Z")
        }
        return time
    }

    /// The document: a line for each domain, so that two versions compare line by line.
    package var json: String {
        guard !domains.isEmpty else { return "{}\n" }
        let lines = domains.map { "  \(RecordJSON.quoted($0.name)): \($0.json)" }
        return "{\n\(lines.joined(separator: ",\n"))\n}\n"
    }

    /// The document as an object.
    package var object: RecordObject {
        RecordObject(
            domains.map {
                RecordObject.Member(name: $0.name, offset: 0, value: RecordValue($0.content, offset: 0))
            }, offset: 0)
    }
}

extension PinSet.Domain {
    /// The list of entries, on one line.
    package var json: String {
        var bytes: [UInt8] = []
        RecordJSON.append(content, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    fileprivate var content: RecordValue.Content {
        let entries = (isJWE ? [.text(PinSet.jwe)] : []) + pins.map(\.content)
        return .array(entries.map { RecordValue($0, offset: 0) })
    }
}

extension Pin {
    fileprivate var content: RecordValue.Content {
        guard notBefore != nil || notAfter != nil else { return .text(text) }
        let members = [
            ("pin", text), ("notBefore", notBefore.map(RFC3339.format)), ("notAfter", notAfter.map(RFC3339.format)),
        ]
        return .object(
            RecordObject(
                members.compactMap { name, value in
                    value.map { RecordObject.Member(name: name, offset: 0, value: RecordValue(.text($0), offset: 0)) }
                }, offset: 0))
    }
}
