import AssayCore
import FoundationEssentials

/// A member of a payload's object, with the object's path and readers for each type. A known field of another type is
/// an error: a value that the reader does not understand must not count as missing.
struct PayloadMember {
    let member: RecordObject.Member
    /// The path of the object; empty for the payload itself.
    let path: String

    var name: String { member.name }

    var fullPath: String { path.isEmpty ? member.name.excerpt : "\(path).\(member.name.excerpt)" }

    /// Compares bytes.
    func isNamed(_ name: String) -> Bool { member.name.isByteEqual(to: name) }

    private func mismatch(_ expected: String) -> DecodeError {
        DecodeError(
            .unexpectedType, at: member.value.offset, field: fullPath,
            "expected \(expected), found \(member.value.kindName)")
    }

    /// The error for a member that excludes another one.
    func excluding(_ other: String) -> DecodeError {
        DecodeError(.unexpected, at: member.offset, field: fullPath, "\(name) and \(other) exclude each other")
    }

    func object() throws(DecodeError) -> RecordObject {
        guard case .object(let object) = member.value.content else { throw mismatch("an object") }
        return object
    }

    func text() throws(DecodeError) -> String {
        guard case .text(let text) = member.value.content else { throw mismatch("a string") }
        return text
    }

    func flag() throws(DecodeError) -> Bool {
        guard case .flag(let flag) = member.value.content else { throw mismatch("a boolean") }
        return flag
    }

    func texts() throws(DecodeError) -> [String] {
        guard case .array(let elements) = member.value.content else { throw mismatch("an array of strings") }
        var texts: [String] = []
        texts.reserveCapacity(elements.count)
        for element in elements {
            guard case .text(let text) = element.content else {
                throw DecodeError(
                    .unexpectedType, at: element.offset, field: fullPath,
                    "expected a string in the array, found \(element.kindName)")
            }
            texts.append(text)
        }
        return texts
    }

    func label() throws(DecodeError) -> IntegrityLabel { IntegrityLabel(try text()) }

    func labels() throws(DecodeError) -> [IntegrityLabel] { try texts().map { IntegrityLabel($0) } }

    /// A list of labels, or a single label as a list.
    func labelOrLabels() throws(DecodeError) -> [IntegrityLabel] {
        if case .text(let text) = member.value.content { return [IntegrityLabel(text)] }
        return try labels()
    }

    /// A whole number from 0. JSON writes 64-bit integers as strings; some locally decrypted tokens have numbers.
    func int64() throws(DecodeError) -> Int64 {
        switch member.value.content {
        case .text(let text), .number(let text): return try integer(text)
        default: throw mismatch("a whole number, as a string or a number")
        }
    }

    /// A whole number from 0.
    func int32() throws(DecodeError) -> Int32 {
        guard case .number(let text) = member.value.content else { throw mismatch("a whole number") }
        return try integer(text)
    }

    /// Decimal digits without sign, fraction, exponent or leading zero: one text per number.
    private func integer<Number: FixedWidthInteger>(_ text: String) throws(DecodeError) -> Number {
        var value: Number = 0
        var isExact = !text.isEmpty && (text.utf8.count == 1 || text.utf8.first != 0x30)
        for byte in text.utf8 where isExact {
            guard (0x30...0x39).contains(byte) else {
                isExact = false
                break
            }
            let (tenfold, overflowsTenfold) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowsSum) = tenfold.addingReportingOverflow(Number(byte - 0x30))
            isExact = !overflowsTenfold && !overflowsSum
            value = sum
        }
        guard isExact else {
            throw DecodeError(
                .unexpectedValue, at: member.value.offset, field: fullPath,
                "expected a whole number from 0 to \(Number.max) in decimal digits, found \(text.excerpt)")
        }
        return value
    }

    func time() throws(DecodeError) -> Date {
        let text = try text()
        guard let time = RFC3339.parse(text) else {
            throw DecodeError(
                .unexpectedValue, at: member.value.offset, field: fullPath,
                "expected an RFC 3339 time, found \"\(text.excerpt)\"")
        }
        return time
    }
}
