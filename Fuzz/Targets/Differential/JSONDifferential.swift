import AssayCore
import AssayPrimitives
import Foundation

extension FuzzTarget {
    /// JSON against Foundation's JSONSerialization, in both directions.
    ///
    /// If Assay reads a document, Foundation reads the same value. If Foundation reads it, Assay does too, except in
    /// the cases of ``JSONDifference``.
    static let jsonAndFoundation = FuzzTarget(
        name: "json-foundation", maximumLength: 256, dictionary: json.dictionary,
        seeds: { JSONReading.seeds() },
        run: { input in
            let ours: Result<RecordValue, DecodeError>
            do throws(DecodeError) {
                ours = .success(try JSONReader.read(input, limit: 1 << 16))
            } catch {
                ours = .failure(error)
            }
            let theirs = try? JSONSerialization.jsonObject(with: Data(input), options: .fragmentsAllowed)
            switch (ours, theirs) {
            case (.success(let value), let theirs?):
                require(JSONComparison.isSame(value, theirs), "two values: \(value), \(theirs)")
                return true
            case (.success(let value), nil):
                require(JSONComparison.hasHugeNumber(value), "read here and refused by Foundation: \(value)")
                return true
            case (.failure(let error), let theirs?):
                require(
                    JSONDifference(error, input) != nil, "refused here and read by Foundation: \(error), \(theirs)")
                return false
            case (.failure, nil): return false
            }
        })
}

/// Input that Foundation reads although RFC 8259 excludes it or leaves it open.
enum JSONDifference {
    /// Foundation accepts a comma after the last element (RFC 8259 sections 4 and 5 do not).
    case trailingComma
    /// Foundation keeps one of several members with the same name (section 4 leaves it open).
    case duplicateName
    /// Foundation skips a byte order mark (section 8.1 allows a reader to).
    case byteOrderMark
    /// Foundation guesses UTF-16 and UTF-32 from zero bytes and byte order marks (section 8.1 demands UTF-8).
    case otherEncoding
    /// Assay limits the nesting to ``InputLimits/nestingDepth`` (section 9 allows limits).
    case depth

    init?(_ error: DecodeError, _ input: [UInt8]) {
        let before = input.prefix(error.offset).last { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let found = input.indices.contains(error.offset) ? input[error.offset] : nil
        if error.reason == .duplicateKey {
            self = .duplicateName
        } else if error.reason == .tooDeep {
            self = .depth
        } else if input.starts(with: [0xEF, 0xBB, 0xBF]) {
            self = .byteOrderMark
        } else if input.prefix(4).contains(0) || input.starts(with: [0xFE, 0xFF]) || input.starts(with: [0xFF, 0xFE]) {
            self = .otherEncoding
        } else if before == UInt8(ascii: ","), found == UInt8(ascii: "]") || found == UInt8(ascii: "}") {
            self = .trailingComma
        } else {
            return nil
        }
    }
}

private enum JSONComparison {
    /// Whether Foundation's value equals Assay's. Compares numbers as doubles. Foundation stores most numbers as
    /// doubles and the others as decimals. To convert a decimal to a double, it multiplies by ten up to 127 times or
    /// divides up to 128 times, and rounds each time.
    static func isSame(_ ours: RecordValue, _ theirs: Any) -> Bool {
        switch ours.content {
        case .null: return theirs is NSNull
        case .flag(let flag): return theirs as? Bool == flag
        case .number(let text):
            guard let number = theirs as? NSNumber, let value = Double(text) else { return false }
            return number.doubleValue == value || abs(number.doubleValue - value) <= abs(value) * 1e-13
        case .text(let text):
            guard let read = theirs as? String, told(read).isByteEqual(to: told(text)) else { return false }
            // Foundation drops byte order marks, and never adds one.
            return read.unicodeScalars.count <= text.unicodeScalars.count
        case .array(let values):
            guard let elements = theirs as? [Any], elements.count == values.count else { return false }
            return zip(values, elements).allSatisfy(isSame)
        case .object(let object):
            guard let members = theirs as? [String: Any] else { return false }
            // Swift's dictionaries equate canonically equivalent names; RFC 8259 section 8.3 does not.
            let names = Set(object.members.map { told($0.name) })
            let toldMembers = Dictionary(members.map { (told($0.key), $0.value) }) { first, _ in first }
            guard names.count == toldMembers.count else { return false }
            guard names.count == object.members.count else { return true }
            return object.members.allSatisfy { member in
                toldMembers[told(member.name)].map { isSame(member.value, $0) } ?? false
            }
        }
    }

    /// A text without byte order marks: Foundation drops those at the beginning and those after an escape.
    private static func told(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\u{FEFF}" }))
    }

    /// Whether a number is outside the range of a double: Foundation refuses such numbers.
    static func hasHugeNumber(_ value: RecordValue) -> Bool {
        if case .number(let text) = value.content {
            guard let number = Double(text) else { return true }
            return number.isInfinite || (number.isZero && text.utf8.contains { (0x31...0x39).contains($0) })
        }
        return JSONReading.parts(of: value).contains(where: hasHugeNumber)
    }
}
