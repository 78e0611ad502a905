import Assay
import AssayCore
import AssayPrimitives
import Foundation
import Testing

@Suite("Pins of domains")
struct PinSetTests {
    private static let pins = [
        "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "JG29gD8vWiEanTCVPjYLQ5yiYMKQqR05OH38yFf0kBU=",
    ]

    private static func read(_ json: String) throws(DecodeError) -> PinSet { try PinSet(json: Array(json.utf8)) }

    @Test("The document is read and written, line by line, with jwe and windows")
    func document() throws {
        let json = """
            {
              "api.example.com": ["jwe", "\(Self.pins[0])", "\(Self.pins[1])"],
              "b.example.com": [],
              "*": [{"pin":"\(Self.pins[0])","notBefore":"2026-01-01T00:00:00Z","notAfter":"2027-01-01T00:00:00Z"}]
            }

            """
        let set = try Self.read(json)
        #expect(set.domains.map(\.name) == ["api.example.com", "b.example.com", "*"])
        #expect(set["API.example.com"]?.isJWE == true && set["api.example.com"]?.pins.map(\.text) == Self.pins)
        #expect(try Self.read(set.json) == set)
        #expect(set.json.split(separator: "\n").count == 5)
        #expect(try PinSet(stored: set.stored) == set)
        #expect(try PinSet(json: Array(PinSet().json.utf8)) == PinSet())
    }

    @Test("A host has the pins of its domain, otherwise those of *, otherwise none")
    func order() throws {
        let set = try Self.read(
            #"{"a.example": ["\#(Self.pins[0])"], "b.example": [], "c.example": ["jwe"], "*": ["\#(Self.pins[1])"]}"#)
        #expect(set.pins(of: "A.example").map(\.text) == [Self.pins[0]])
        for host in ["b.example", "c.example", "sub.a.example"] {
            #expect(set.pins(of: host).map(\.text) == [Self.pins[1]], "\(host)")
        }
        #expect(try Self.read(#"{"b.example": []}"#).pins(of: "b.example").isEmpty)
    }

    @Test("Documents that are wrong are refused with the place")
    func refusals() throws {
        let pin = Self.pins[0]
        let cases: [(json: String, words: String)] = [
            (#"["a"]"#, "expected an object"),
            (#"{"a.example": "\#(pin)"}"#, "a.example, byte 14: expected a list of pins"),
            (#"{"https://a.example": []}"#, "not a domain"), (#"{"a.example:443": []}"#, "not a domain"),
            (#"{"a..example": []}"#, "not a domain"), (#"{"-a.example": []}"#, "not a domain"),
            (#"{"\#(String(repeating: "a", count: 64)).example": []}"#, "not a domain"),
            (#"{"*.example": []}"#, "not a domain"), (#"{"a.example": [], "A.example": []}"#, "stands there twice"),
            (#"{"a.example": ["\#(pin)", "\#(pin)"]}"#, "a.example, byte 1: the pin \(pin) stands there twice"),
            (#"{"a.example": ["YQ=="]}"#, "a.example[0], byte 15: a pin is the SHA-256 of a public key in base64"),
            (#"{"a.example": ["\#(pin.dropLast())"]}"#, "a.example[0]"), (#"{"a.example": [7]}"#, "found a number"),
            (#"{"a.example": [{"notAfter": "2026-01-01T00:00:00Z"}]}"#, "has the member pin"),
            (
                #"{"a.example": [{"pin": "\#(pin)", "until": 1}]}"#,
                "no member until; allowed are pin, notBefore, notAfter"
            ),
            (#"{"a.example": [{"pin": "\#(pin)", "notAfter": "tomorrow"}]}"#, "notAfter is a time of RFC 3339"),
            (
                #"{"a.example": [{"pin": "\#(pin)", "notBefore": "2027-01-01T00:00:00Z", "#
                    + #""notAfter": "2026-01-01T00:00:00Z"}]}"#,
                "notAfter is before notBefore"
            ),
            ("{" + (0...200).map { #""d\#($0).example": []"# }.joined(separator: ",") + "}", "more than 200 domains"),
        ]
        for (json, words) in cases {
            do throws(DecodeError) {
                _ = try Self.read(json)
                Issue.record("accepted: \(json.prefix(80))")
            } catch {
                #expect(error.description.contains(words), "\(error)")
            }
        }
    }
}
