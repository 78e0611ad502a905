import AndroidKey
import AssayCore
import AssayPrimitives
import Foundation
import Testing

/// Google's list of revoked certificates: how serial numbers are found, and which lists are refused.
struct AttestationStatusListTests {
    private static func list(_ text: String) throws -> AttestationStatusList {
        try AttestationStatusList(json: Array(text.utf8), fetchedAt: nil)
    }

    private static func entries(_ serials: [String], status: String = "REVOKED") -> String {
        let entries = serials.map { #""\#($0)":{"status":"\#(status)"}"# }
        return #"{"entries":{\#(entries.joined(separator: ","))}}"#
    }

    struct Spelling: Sendable, CustomTestStringConvertible {
        let entry: String
        let octets: [UInt8]
        let isFound: Bool

        var testDescription: String { "\(entry) and \(octets.hexadecimal)" }
    }

    @Test(
        "A serial number is found in hexadecimal and in decimal, padded or not, in either case",
        arguments: [
            Spelling(
                entry: "2c8cdddfd5e03bfc", octets: [0x2C, 0x8C, 0xDD, 0xDF, 0xD5, 0xE0, 0x3B, 0xFC], isFound: true),
            Spelling(
                entry: "2C8CDDDFD5E03BFC", octets: [0x2C, 0x8C, 0xDD, 0xDF, 0xD5, 0xE0, 0x3B, 0xFC], isFound: true),
            Spelling(
                entry: "00002c8cdddfd5e03bfc", octets: [0x2C, 0x8C, 0xDD, 0xDF, 0xD5, 0xE0, 0x3B, 0xFC], isFound: true),
            // 0x2c8cdddfd5e03bfc
            Spelling(
                entry: "3210184587844008956", octets: [0x2C, 0x8C, 0xDD, 0xDF, 0xD5, 0xE0, 0x3B, 0xFC], isFound: true),
            Spelling(
                entry: "03210184587844008956", octets: [0x2C, 0x8C, 0xDD, 0xDF, 0xD5, 0xE0, 0x3B, 0xFC], isFound: true),
            Spelling(
                entry: "c35747a084470c3135aeefe2b8d40cd6", octets: hex("00c35747a084470c3135aeefe2b8d40cd6"),
                isFound: true),
            Spelling(entry: "6681152659205225093", octets: hex("5cb838f1fe157a85"), isFound: true),
            Spelling(entry: "5cb838f1fe157a85", octets: hex("5cb838f1fe157a85"), isFound: true),
            // One off, one more octet, the digits in another order.
            Spelling(entry: "5cb838f1fe157a84", octets: hex("5cb838f1fe157a85"), isFound: false),
            Spelling(entry: "6681152659205225092", octets: hex("5cb838f1fe157a85"), isFound: false),
            Spelling(entry: "5cb838f1fe157a8500", octets: hex("5cb838f1fe157a85"), isFound: false),
            Spelling(entry: "5cb838f1fe157a8", octets: hex("5cb838f1fe157a85"), isFound: false),
            // An octet that DER reads as a sign.
            Spelling(entry: "8000000000000001", octets: hex("8000000000000001"), isFound: true),
            Spelling(entry: "8000000000000001", octets: hex("008000000000000001"), isFound: true),
            Spelling(entry: "-7fffffffffffffff", octets: hex("8000000000000001"), isFound: true),
            Spelling(entry: "-7fffffffffffffff", octets: hex("008000000000000001"), isFound: false),
            Spelling(entry: "0", octets: [0], isFound: true), Spelling(entry: "0", octets: [], isFound: true),
            Spelling(entry: "10", octets: [10], isFound: true), Spelling(entry: "10", octets: [16], isFound: true),
            Spelling(entry: "a", octets: [0, 0, 10], isFound: true),
            Spelling(
                entry: "1" + String(repeating: "0", count: 128), octets: [1] + [UInt8](repeating: 0, count: 64),
                isFound: false),
            Spelling(
                entry: String(repeating: "f", count: 128), octets: [UInt8](repeating: 0xFF, count: 64), isFound: true),
        ])
    func spellings(_ example: Spelling) throws {
        let list = try Self.list(Self.entries([example.entry]))
        #expect((list.status(ofSerial: example.octets) != nil) == example.isFound)
    }

    @Test("Decimal digits of long numbers are those of another implementation")
    func decimal() throws {
        let number =
            "527858336034648959245051964558353957498610941956424868081081388634028695378520265445794666717528224142814018"
            + "56143643660416162921950916138504990605852480"
        let octets = (1...64).map { UInt8($0) }
        #expect(Self.longDivision(octets) == number)
        #expect(try Self.list(Self.entries([number])).status(ofSerial: octets) != nil)
        for count in 1...64 {
            let octets = (0..<count).map { UInt8(truncatingIfNeeded: 255 - $0 * 37) }
            #expect(try Self.list(Self.entries([Self.longDivision(octets)])).status(ofSerial: [0] + octets) != nil)
        }
    }

    /// The decimal digits by long division, as a second implementation.
    private static func longDivision(_ octets: [UInt8]) -> String {
        var rest = octets.map(Int.init)
        var digits: [UInt8] = []
        while rest.contains(where: { $0 != 0 }) {
            var carry = 0
            for index in rest.indices {
                let value = carry * 256 + rest[index]
                rest[index] = value / 10
                carry = value % 10
            }
            digits.append(UInt8(0x30 + carry))
        }
        return String(decoding: digits.reversed(), as: UTF8.self)
    }

    @Test("The serial number in a subject is found as text, and as a number")
    func subjects() throws {
        let list = try Self.list(Self.entries(["f92009e853b6b045", "6681152659205225093"]))
        #expect(list.status(ofSubjectSerialNumber: "f92009e853b6b045") != nil)
        #expect(list.status(ofSubjectSerialNumber: "F92009E853B6B045") != nil)
        #expect(list.status(ofSubjectSerialNumber: "00f92009e853b6b045") != nil)
        #expect(list.status(ofSubjectSerialNumber: "5cb838f1fe157a85") != nil)
        for other in ["Batch-7", "f92009e853b6b046", "", String(repeating: "1", count: 5000)] {
            #expect(list.status(ofSubjectSerialNumber: other) == nil, "\(other.prefix(20))")
        }
    }

    @Test("SUSPENDED counts as REVOKED does, and neither ends with `expires`")
    func states() throws {
        let list = try Self.list(
            #"""
            {"entries": {
              "a1": {"status": "REVOKED", "reason": "KEY_COMPROMISE", "expires": "2018-01-01", "comment": "x"},
              "a2": {"status": "SUSPENDED", "reason": "SOFTWARE_FLAW", "expires": "2018-01-01"},
              "0a2": {"status": "REVOKED"}, "a3": {"status": "REVOKED"}, "0A3": {"status": "SUSPENDED"},
              "a4": {"status": "SUSPENDED", "later": {"member": [1]}}
            }, "later": true}
            """#)
        #expect(list.status(ofSerial: [0, 0xA1])?.state == .revoked)
        #expect(list.status(ofSerial: [0, 0xA1])?.reason == "KEY_COMPROMISE")
        #expect(list.status(ofSerial: [0, 0xA2])?.state == .revoked)
        #expect(list.status(ofSerial: [0, 0xA3])?.state == .revoked)
        #expect(list.status(ofSerial: [0, 0xA4])?.state == .suspended)
        #expect(list.status(ofSerial: [0, 0xA4])?.reason == nil)
        #expect(list.count == 4)
    }

    @Test(
        "An unknown state rejects its certificate, and leaves the list in force",
        arguments: ["WITHDRAWN", "revoked", ""])
    func unknownState(word: String) throws {
        let list = try Self.list(
            #"{"entries":{"a1":{"status":"\#(word)"},"a2":{"status":"REVOKED"},"0a1":{"status":"\#(word)"}}}"#)
        #expect(list.status(ofSerial: [0, 0xA1])?.state == .suspended)
        #expect(list.status(ofSerial: [0, 0xA1])?.word == word)
        #expect(list.status(ofSerial: [0, 0xA2])?.state == .revoked)
        #expect(list.status(ofSerial: [0, 0xA3]) == nil)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let text: String
        let code: String
        let field: String

        var testDescription: String { String(text.prefix(60)) }
    }

    @Test(
        "A list that is damaged, empty or in another form is refused, and the error says where",
        arguments: [
            Refusal(text: "", code: "truncated", field: ""),
            Refusal(text: #"{"entries":{"a1":{"status":"REVOKED"}}"#, code: "truncated", field: ""),
            Refusal(text: #"{"entries":{"a1":{"status":"REVO"#, code: "truncated", field: ""),
            Refusal(text: "<!DOCTYPE html><html>", code: "malformed", field: ""),
            Refusal(text: "\n\t <html>", code: "malformed", field: ""),
            Refusal(text: "[]", code: "unexpected-type", field: ""),
            Refusal(text: "{}", code: "missing", field: "entries"),
            Refusal(text: #"{"entries":[]}"#, code: "unexpected-type", field: "entries"),
            Refusal(text: #"{"entries":{}}"#, code: "missing", field: "entries"),
            Refusal(text: #"{"entries":{"a1":"REVOKED"}}"#, code: "unexpected-type", field: "entries.a1"),
            Refusal(text: #"{"entries":{"a1":{}}}"#, code: "missing", field: "entries.a1"),
            Refusal(text: #"{"entries":{"a1":{"status":null}}}"#, code: "missing", field: "entries.a1"),
            Refusal(
                text: #"{"entries":{"a1":{"status":"REVOKED","reason":7}}}"#, code: "unexpected-type",
                field: "entries.a1"),
            Refusal(
                text: #"{"entries":{"a1":{"status":"REVOKED"},"a1":{"status":"REVOKED"}}}"#, code: "duplicate-key",
                field: ""),
            Refusal(
                text: #"{"entries":{"a1":{"status":"REVOKED","status":"REVOKED"}}}"#, code: "duplicate-key", field: ""),
            Refusal(text: #"{"entries":{"":{"status":"REVOKED"}}}"#, code: "invalid-text", field: "entries"),
            Refusal(text: #"{"entries":{"a 1":{"status":"REVOKED"}}}"#, code: "invalid-text", field: "entries"),
            Refusal(text: #"{"entries":{"\u00e1":{"status":"REVOKED"}}}"#, code: "invalid-text", field: "entries"),
            Refusal(
                text: #"{"entries":{""# + String(repeating: "1", count: 161) + #"":{"status":"REVOKED"}}}"#,
                code: "too-large", field: "entries"),
            Refusal(text: #"{"entries":{"a1":{"status":"REVOKED"}}} x"#, code: "trailing-bytes", field: ""),
            Refusal(text: "\u{FEFF}" + #"{"entries":{"a1":{"status":"REVOKED"}}}"#, code: "malformed", field: ""),
        ])
    func refusals(_ example: Refusal) throws {
        let error = #expect(throws: DecodeError.self) { try Self.list(example.text) }
        #expect(error?.code == example.code)
        #expect(error?.field == example.field)
    }

    @Test(
        "A key that no serial number can match refuses the list, and the error names its line and the key",
        arguments: [
            "0x4ad44cf63f1a42f9d7888aa8ac91ebf8", "0X4AD4", "4A:D4:4C:F6", "4a-d4-4c", "4a d4 4c", " 4ad4", "4ad4 ",
            "4ad4h",
            "Batch-7", "", "-", "--1", "+17", "1.5", "1e5g", "serial:4ad4", "\u{E1}",
            "a" + String(repeating: "0", count: 128), String(repeating: "1", count: 161),
        ])
    func unknownForms(key: String) throws {
        let text = """
            {"entries": {
              "a1": {"status": "REVOKED"},
              "\(key)": {"status": "REVOKED"},
              "a2": {"status": "REVOKED"}}}
            """
        let error = #expect(throws: DecodeError.self) { try Self.list(text) }
        #expect(["invalid-text", "too-large"].contains(error?.code ?? ""))
        #expect(error?.detail.contains("line 3: ") == true, "\(error?.detail ?? "")")
        if key.utf8.count < 60 { #expect(error?.detail.contains("\"\(key)\"") == true, "\(error?.detail ?? "")") }
    }

    @Test("A reason that is null is none")
    func nullReason() throws {
        let list = try Self.list(#"{"entries":{"a1":{"status":"REVOKED","reason":null,"expires":null}}}"#)
        #expect(list.status(ofSerial: [0, 0xA1])?.state == .revoked)
        #expect(list.status(ofSerial: [0, 0xA1])?.reason == nil)
    }

    @Test("A list of 50 MB is refused by its size")
    func size() {
        let bytes = [UInt8](repeating: UInt8(ascii: " "), count: 50_000_000)
        let error = #expect(throws: DecodeError.self) { try AttestationStatusList(json: bytes, fetchedAt: nil) }
        #expect(error?.code == "too-large")
    }

    @Test("A list of 100,000 entries answers for each, and names itself by its digest")
    func large() throws {
        let serials = (1...100_000).map { String($0 * 7919, radix: 16) }
        let text = Self.entries(serials)
        let list = try Self.list(text)
        #expect(list.count == 100_000)
        #expect(list.digest == Digest.sha256(Array(text.utf8)))
        #expect(list.reference.digest == list.digest)
        for number in stride(from: 1, through: 100_000, by: 997) {
            let value = number * 7919
            let octets = withUnsafeBytes(of: UInt64(value).bigEndian) { Array($0) }
            #expect(list.status(ofSerial: octets)?.state == .revoked)
        }
    }
}

/// Octets of hexadecimal digits.
private func hex(_ text: String) -> [UInt8] {
    let values = text.utf8.compactMap(\.hexadecimalValue)
    return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
}
