package import AssayCore
package import FoundationEssentials

/// Google's list of revoked and suspended attestation certificates (Android documentation, certificate revocation status list), with
/// entries that Google dropped in a further object `retained`; see ``retaining(expiredOf:at:)``.
///
///     {"entries": {"2c8cdddfd5e03bfc": {"status": "REVOKED", "reason": "KEY_COMPROMISE", "expires": "2020-11-13"}}}
///
/// A serial number is looked up in hexadecimal and in decimal, in either case and with or without leading zeros: a wrong match is far
/// less likely than a missed one is harmful. A key in another form, such as `0x2c8c`, would revoke nothing: it refuses the list.
package struct AttestationStatusList: Sendable, Equatable {
    /// The most bytes of a list. Google's had less than 200 KiB in 2026.
    package static let limit = 16 * 1024 * 1024
    /// The most digits of a serial number. RFC 5280 allows 20 octets; 64 octets have 155 decimal digits.
    private static let digits = 160
    /// The most digits of a serial number that has digits above 9, without leading zeros.
    private static let hexadecimalDigits = octets * 2
    /// The most octets of a serial number that a list can name.
    private static let octets = 64

    /// SHA-256 of the bytes of the list, 32 bytes.
    package let digest: [UInt8]
    /// The bytes of the list as they were read.
    package let json: [UInt8]
    /// When the list was fetched, or last confirmed by its server; nil if that is not known.
    package let fetchedAt: Date?
    /// When the server made the list (`Last-Modified`); nil if it did not say so.
    package let issuedAt: Date?
    private let entries: [String: Status]
    private static let retainedField = "retained"

    package var count: Int { entries.count }

    /// Reads a list as it was served, with the `Last-Modified` of the answer. Refuses one that is cut, empty or over ``limit``, that
    /// names the same text twice, or has a key that is no serial number. A state other than `REVOKED` and `SUSPENDED` counts as the
    /// latter: a new word must not void the whole list. Several spellings of one number are one entry, revoked if one of them is.
    package init(json: [UInt8], fetchedAt: Date?, issuedAt: Date? = nil) throws(DecodeError) {
        guard !json.isEmpty else { throw DecodeError(.truncated, at: 0, "the status list has no bytes") }
        if let first = json.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }), first == UInt8(ascii: "<") {
            throw DecodeError(
                .malformed, at: 0, "the status list is HTML or XML: an error page, or the page of a captive portal")
        }
        let document = try JSONReader.readObject(json, limit: Self.limit)
        guard let value = document["entries"] else {
            throw DecodeError(.missing, at: document.offset, field: "entries", "the status list has no entries")
        }
        guard case .object(let object) = value.content else {
            throw DecodeError(
                .unexpectedType, at: value.offset, field: "entries", "expected an object, found \(value.kindName)")
        }
        guard !object.members.isEmpty else {
            throw DecodeError(
                .missing, at: value.offset, field: "entries",
                "the status list is empty: Google's has had entries since 2018, so this is not that list")
        }
        var members = object.members
        if case .object(let retained)? = document[Self.retainedField]?.content { members += retained.members }
        var entries: [String: Status] = [:]
        entries.reserveCapacity(members.count)
        for member in members {
            do throws(DecodeError) {
                let status = try Status(member)
                let key = try Self.key(of: member)
                if entries[key]?.state != .revoked { entries[key] = status }
            } catch {
                throw DecodeError(
                    error.reason, at: error.offset, field: error.field,
                    "line \(Self.line(of: error.offset, in: json)): \(error.message)")
            }
        }
        self.entries = entries
        self.json = json
        self.fetchedAt = fetchedAt
        self.issuedAt = issuedAt
        digest = Digest.sha256(json)
    }

    /// The same list, fetched or confirmed at another time.
    package init(_ list: AttestationStatusList, fetchedAt: Date?) {
        (digest, json, issuedAt, entries) = (list.digest, list.json, list.issuedAt, list.entries)
        self.fetchedAt = fetchedAt
    }

    /// Adds entries of the previous list that Google pruned because their certificates expired: chains of factory keys are accepted
    /// after that, and a key that was extracted would be too. An entry that disappears before its day, or names none, was lifted.
    /// Throws if the list has more than ``limit`` bytes then.
    package func retaining(
        expiredOf former: AttestationStatusList, at now: Date
    ) throws(DecodeError) -> AttestationStatusList {
        let lost = former.entries.filter { entries[$0.key] == nil && $0.value.isExpired(at: now) }
        guard !lost.isEmpty else { return self }
        let document = try JSONReader.readObject(json, limit: Self.limit)
        var retained = lost.map { $0.value.member }
        if case .object(let object)? = document[Self.retainedField]?.content {
            retained += object.members.map { ($0.name, $0.value.content) }
        }
        // In one order, so that equal lists have equal digests.
        retained.sort { $0.0 < $1.0 }
        let members =
            document.members.filter { $0.name != Self.retainedField }.map { ($0.name, $0.value.content) }
            + [(Self.retainedField, .object(RecordObject(retained)))]
        var bytes: [UInt8] = []
        RecordJSON.append(.object(RecordObject(members)), to: &bytes)
        return try AttestationStatusList(json: bytes, fetchedAt: fetchedAt, issuedAt: issuedAt)
    }

    package static func == (left: AttestationStatusList, right: AttestationStatusList) -> Bool {
        left.digest == right.digest && left.fetchedAt == right.fetchedAt
    }

    /// The status of a certificate by the octets of its serial number; nil if the list does not have it. A number that DER reads as
    /// negative is looked up as negative and, as the octets stand, as positive.
    package func status(ofSerial serial: [UInt8]) -> Status? {
        let octets = serial.drop { $0 == 0 }
        guard octets.count <= Self.octets else { return nil }
        if let status = status(ofMagnitude: Array(octets), sign: "") { return status }
        guard let first = serial.first, first >= 0x80 else { return nil }
        return status(ofMagnitude: Self.negated(serial), sign: "-")
    }

    /// The status of a certificate or a batch by the `serialNumber` (2.5.4.5) of its subject, as text and as a hexadecimal number; nil
    /// if the list does not have it.
    package func status(ofSubjectSerialNumber text: String) -> Status? {
        guard text.utf8.count <= Self.digits else { return nil }
        if let status = entries[Self.normalized(text)] { return status }
        guard let octets = Self.octets(ofHexadecimal: text) else { return nil }
        return status(ofSerial: [0] + octets)
    }

    private func status(ofMagnitude octets: [UInt8], sign: String) -> Status? {
        entries[sign + Self.withoutZeros(octets.hexadecimal)] ?? entries[sign + Self.decimal(octets)]
    }

    // MARK: Spellings

    /// The number of a key. A key that no serial number of a certificate can match would silently revoke nothing.
    private static func key(of member: RecordObject.Member) throws(DecodeError) -> String {
        let text = member.name
        guard text.utf8.count <= digits else {
            throw DecodeError(
                .tooLarge, at: member.offset, field: "entries",
                "a serial number of \(text.utf8.count) characters, at most \(digits) allowed")
        }
        let number = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard !number.isEmpty, number.allSatisfy({ $0.hexadecimalValue != nil }) else {
            throw DecodeError(
                .invalidText, at: member.offset, field: "entries",
                "expected a serial number of hexadecimal or decimal digits alone, such as 2c8cdddfd5e03bfc, found "
                    + "\"\(text.excerpt)\", which would revoke nothing")
        }
        let count = number.drop { $0 == UInt8(ascii: "0") }.count
        guard count <= hexadecimalDigits || number.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw DecodeError(
                .tooLarge, at: member.offset, field: "entries",
                "a serial number of \(count) hexadecimal digits, at most \(hexadecimalDigits) allowed")
        }
        return normalized(text)
    }

    /// The line of a byte, counted from 1.
    private static func line(of offset: Int, in json: [UInt8]) -> Int {
        json.prefix(max(0, offset)).reduce(1) { $1 == 0x0A ? $0 + 1 : $0 }
    }

    /// A number in lower case without leading zeros; another text as it is.
    private static func normalized(_ text: String) -> String {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard !digits.isEmpty, digits.allSatisfy({ $0.hexadecimalValue != nil }) else { return text }
        let sign = digits.count < text.utf8.count ? "-" : ""
        return sign + withoutZeros(String(decoding: digits.map { $0 | ($0 >= 0x41 ? 0x20 : 0) }, as: UTF8.self))
    }

    private static func withoutZeros(_ digits: String) -> String {
        let rest = digits.utf8.drop { $0 == UInt8(ascii: "0") }
        return rest.isEmpty ? "0" : String(decoding: rest, as: UTF8.self)
    }

    private static func octets(ofHexadecimal text: String) -> [UInt8]? {
        text.isEmpty ? nil : [UInt8](hexadecimal: ((text.utf8.count.isMultiple(of: 2) ? "" : "0") + text).utf8)
    }

    /// The decimal digits of an unsigned number. At most ``octets`` octets, so that the cost is bounded.
    private static func decimal(_ octets: [UInt8]) -> String {
        // Limbs of nine decimal digits, the least significant first.
        var limbs: [UInt64] = [0]
        for octet in octets {
            var carry = UInt64(octet)
            for index in limbs.indices {
                carry += limbs[index] << 8
                limbs[index] = carry % 1_000_000_000
                carry /= 1_000_000_000
            }
            if carry > 0 { limbs.append(carry) }
        }
        var text = String(limbs[limbs.count - 1])
        for limb in limbs.dropLast().reversed() {
            let digits = String(limb)
            text += String(repeating: "0", count: 9 - digits.utf8.count) + digits
        }
        return text
    }

    /// The magnitude of a negative number in two's complement.
    private static func negated(_ octets: [UInt8]) -> [UInt8] {
        var result = octets.map { ~$0 }
        for index in result.indices.reversed() {
            let (sum, overflow) = result[index].addingReportingOverflow(1)
            result[index] = sum
            if !overflow { break }
        }
        return Array(result.drop { $0 == 0 })
    }
}
