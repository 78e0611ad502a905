import AssayCore
import AssayPrimitives
import AssayTestSupport
import Testing

@Suite("JSON reader") struct JSONReaderTests {
    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    private static func object(_ count: Int, last: String) -> String {
        "{" + (0..<count - 1).map { "\"\($0)\":0," }.joined() + "\"\(last)\":0}"
    }

    static let refused: [Rejection] = [
        Rejection("", .truncated, 0, "a value is there"),
        Rejection(" ", .truncated, 1, "a value is there"),
        Rejection("\u{FEFF}{}", .malformed, 0, "no byte order mark"),
        Rejection("{}{}", .trailingBytes, 2, "one value and nothing after it"),
        Rejection("{} x", .trailingBytes, 3, "one value and nothing after it"),
        Rejection("[1,]", .malformed, 3, "no trailing comma in an array"),
        Rejection("[,1]", .malformed, 1, "no leading comma"),
        Rejection("[1 2]", .malformed, 3, "elements are separated"),
        Rejection("{\"a\":1,}", .malformed, 7, "no trailing comma in an object"),
        Rejection("{\"a\" 1}", .malformed, 5, "a colon after a key"),
        Rejection("{a:1}", .malformed, 1, "keys are in quotes"),
        Rejection("{'a':1}", .malformed, 1, "double quotes only"),
        Rejection("{1:1}", .malformed, 1, "keys are strings"),
        Rejection("[1", .truncated, 2, "an array ends"),
        Rejection("{\"a\":1", .truncated, 6, "an object ends"),
        Rejection("\"abc", .truncated, 4, "a string ends"),
        Rejection("\"a\\", .truncated, 3, "an escape ends"),
        Rejection("{\"a\":1,\"a\":2}", .duplicateKey, 7, "keys are unique"),
        Rejection("{\"a\":1,\"\\u0061\":2}", .duplicateKey, 7, "keys are unique, however they are written"),
        Rejection("{\"/\":1,\"\\/\":2}", .duplicateKey, 7, "keys are unique, however they are written"),
        Rejection("[{\"a\":{\"b\":1,\"b\":2}}]", .duplicateKey, 13, "nested keys are unique"),
        Rejection("{\"é\":1,\"\\u00e9\":2}", .duplicateKey, 8, "keys are compared unescaped"),
        Rejection(object(17, last: "0"), .duplicateKey, 103, "keys of larger objects are unique"),
        Rejection(object(500, last: "498"), .duplicateKey, 3883, "keys of large objects are unique"),
        Rejection("01", .notMinimal, 0, "no leading zeros"),
        Rejection("-01", .notMinimal, 0, "no leading zeros"),
        Rejection("+1", .malformed, 0, "no plus sign"),
        Rejection("-", .truncated, 1, "a digit after the minus sign"),
        Rejection("[-a]", .malformed, 2, "a digit after the minus sign"),
        Rejection(".5", .malformed, 0, "a digit before the point"),
        Rejection("[1.]", .malformed, 3, "a digit after the point"),
        Rejection("[1e]", .malformed, 3, "a digit in the exponent"),
        Rejection("[1e+]", .malformed, 4, "a digit in the exponent"),
        Rejection("0x10", .trailingBytes, 1, "no hexadecimal numbers"),
        Rejection("NaN", .malformed, 0, "numbers are numbers"),
        Rejection("tru", .truncated, 0, "words are complete"),
        Rejection("True", .malformed, 0, "words are in lower case"),
        Rejection("nul]", .malformed, 0, "words are complete"),
        Rejection("\"a\u{1}\"", .malformed, 2, "control characters are escaped"),
        Rejection("\"\n\"", .malformed, 1, "line breaks are escaped"),
        Rejection("\"\u{1F}\"", .malformed, 1, "the last control character is escaped too"),
        Rejection("\"\\n\t\"", .malformed, 3, "control characters are escaped after an escape too"),
        Rejection("\"\\x\"", .malformed, 2, "escapes are those of JSON"),
        Rejection("\"\\u12G4\"", .malformed, 5, "four hexadecimal digits"),
        Rejection("\"\\u+123\"", .malformed, 3, "four hexadecimal digits"),
        Rejection("\"\\uD800\"", .invalidText, 1, "no lone surrogate"),
        Rejection("\"ab\\uDC00\"", .invalidText, 3, "no lone second surrogate"),
        Rejection("\"\\uD800\\u0041\"", .invalidText, 1, "a surrogate pair is complete"),
        Rejection("\"\\uD800\\uD800\"", .invalidText, 1, "a surrogate pair has two halves"),
        Rejection("\"\\uD800n\"", .invalidText, 1, "a surrogate pair is complete"),
        Rejection("[//\n1]", .malformed, 1, "no comments"),
        Rejection("[\u{A0}1]", .malformed, 1, "white space is that of JSON"),
        Rejection("\u{C}1", .malformed, 0, "white space is that of JSON"),
        Rejection(repeated("[", 33) + repeated("]", 33), .tooDeep, 32, "depth is bounded"),
        Rejection(repeated("{\"a\":", 33) + "1" + repeated("}", 33), .tooDeep, 160, "the depth of objects is bounded"),
        Rejection(repeated("[", 1_000_000), .tooDeep, 32, "depth is bounded before the stack is"),
        Rejection("\"" + repeated("a", 3_000_000) + "\"", .tooLarge, 3_000_000, "size is bounded"),
        Rejection("[" + repeated("0,", 1_100_000) + "0]", .tooLarge, 2_097_151, "the number of values is bounded"),
    ]

    @Test("Violations are refused with the byte offset")
    func refuses() {
        for rejection in Self.refused {
            let error = decodeError { _ = try JSONReader.read(Array(rejection.input.utf8), limit: 3_000_000) }
            #expect(
                rejection.matches(error),
                "\(rejection.rule): \(rejection.input.prefix(40)) \(String(describing: error))")
            let shifted = Array(("  " + rejection.input).utf8)
            let shiftedError = decodeError { _ = try JSONReader.read(shifted[2...], limit: 3_000_000) }
            #expect(shiftedError?.offset == rejection.offset + 2)
        }
    }

    @Test(
        "Text is UTF-8",
        arguments: [
            ("22c328 22", 1), ("22 61eda080 22", 2), ("22 c0af 22", 1), ("22 f4908080 22", 1), ("22 80 22", 1),
            ("22 5c6e ff 22", 3), ("7b22 61ff 223a307d", 3),
        ])
    func refusesInvalidText(_ hex: String, _ offset: Int) {
        let bytes = [UInt8](hex: hex.replacing(" ", with: "")) ?? []
        let error = decodeError { _ = try JSONReader.read(bytes, limit: 100) }
        #expect(error?.reason == .invalidText)
        #expect(error?.offset == offset)
    }

    @Test("Each byte of a string has the same result at every position, also in the eight-byte scan")
    func looksAtEveryByte() throws {
        let places = (0..<20).flatMap { length in (0...length).map { (length, $0) } }
        for (length, place) in places {
            func reading(_ bytes: [UInt8]) throws -> RecordValue.Content {
                let text = [UInt8](repeating: 0x61, count: length)
                return try JSONReader.read([0x22] + text[..<place] + bytes + text[place...] + [0x22], limit: 100)
                    .content
            }
            let (before, after) = (Self.repeated("a", place), Self.repeated("a", length - place))
            for (bytes, meaning) in [
                ([0x20], " "), ([0x21], "!"), ([0x23], "#"), ([0x5B], "["), ([0x5D], "]"), ([0x7F], "\u{7F}"),
                ([0xC3, 0xA9], "\u{E9}"), ([0x5C, 0x6E], "\n"),
            ] as [([UInt8], String)] {
                guard case .text(let text) = try reading(bytes) else {
                    Issue.record("no text")
                    return
                }
                #expect(Array(text.utf8) == Array((before + meaning + after).utf8), "\(bytes) at \(place) of \(length)")
            }
            for (byte, reason, offset) in [
                (0x00, .malformed, 1), (0x0A, .malformed, 1), (0x1F, .malformed, 1), (0x80, .invalidText, 1),
                (0xFF, .invalidText, 1), (0x22, .trailingBytes, 2),
            ] as [(UInt8, DecodeError.Code, Int)] {
                let error = decodeError { _ = try reading([byte]) }
                #expect(error?.reason == reason && error?.offset == place + offset, "\(byte) at \(place) of \(length)")
            }
        }
    }

    @Test(
        "Common texts are read correctly, as are texts that differ from them in one byte",
        arguments: [
            "appAccessRiskVerdict", "appLicensingVerdict", "appRecognitionVerdict", "authenticatorData",
            "certificateSha256Digest", "deviceActivityLevel", "deviceAttributes", "deviceRecognitionVerdict",
            "environmentDetails", "isTestingResponse", "legacyDeviceRecognitionVerdict", "locationSpoofingRiskVerdict",
            "playProtectVerdict", "recentDeviceActivity", "requestPackageName", "tokenPayloadExternal",
            "MEETS_BASIC_INTEGRITY", "MEETS_DEVICE_INTEGRITY", "MEETS_STRONG_INTEGRITY", "MEETS_VIRTUAL_INTEGRITY",
            "UNKNOWN_INSTALLED", "UNRECOGNIZED_VERSION",
        ])
    func readsCommonTexts(_ text: String) throws {
        let bytes = Array(text.utf8)
        let first = Array(bytes[..<8])
        var texts: [[UInt8]] = [bytes, Array(bytes.dropLast()), bytes + [0x61], first + bytes, bytes + first]
        for index in bytes.indices {
            texts.append(bytes)
            texts[texts.count - 1][index] ^= 1
        }
        for text in texts {
            let document = [UInt8](#"{"":["#.utf8) + [0x22] + text + Array(#""],""#.utf8) + text + Array(#"":1}"#.utf8)
            let object = try JSONReader.readObject(document, limit: 200)
            guard case .array(let elements) = object.members[0].value.content,
                case .text(let element) = elements[0].content
            else {
                Issue.record("no text")
                return
            }
            #expect(Array(element.utf8) == text)
            #expect(Array(object.members[1].name.utf8) == text)
        }
    }

    @Test("Duplicate keys are refused at every position and in every spelling")
    func refusesEveryPair() {
        for count in 2...20 {
            for (first, second) in (0..<count).flatMap({ second in (0..<second).map { ($0, second) } }) {
                for isEscaped in [(false, false), (true, false), (false, true), (true, true)] {
                    let keys = (0..<count).map { index in
                        let key = index == second ? first : index
                        let escapes = index == first && isEscaped.0 || index == second && isEscaped.1
                        return (escapes ? "\\u006B" : "k") + "ey\(key)"
                    }
                    let document = "{" + keys.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
                    let error = decodeError { _ = try JSONReader.read(Array(document.utf8), limit: 1000) }
                    #expect(error?.reason == .duplicateKey, "\(document)")
                }
            }
        }
    }

    @Test("Keys of every length are compared correctly, also near the end of the input")
    func comparesKeysOfAnyLength() {
        for length in 0...20 {
            let key = Self.repeated("k", length)
            for (first, second) in [("0", "0"), ("[1,2,3]", "\"\""), (" 1", "0 ")] {
                for end in 0...10 {
                    let rest = second + Self.repeated(" ", end) + "}"
                    let same = Array("{\"\(key)\":\(first),\"\(key)\":\(rest)".utf8)
                    let error = decodeError { _ = try JSONReader.read(same, limit: 100) }
                    #expect(error?.reason == .duplicateKey, "\(length) and \(end)")
                    for other in [key + "k", key + "l", "l" + key] {
                        let different = Array("{\"\(key)\":\(first),\"\(other)\":\(rest)".utf8)
                        let count = try? JSONReader.readObject(different, limit: 100).members.count
                        #expect(count == 2, "\(key) and \(other)")
                    }
                }
            }
        }
    }

    @Test("Values are read unchanged, with the byte at which they begin")
    func readsValues() throws {
        let text =
            #" {"a" : [ -0.0e+10 , 12345678901234567890 , true,false,null ] , "\u00e9\n\ud83d\ude00/" :"ü\"\/\b\f\r\t" } "#
        let object = try JSONReader.readObject(Array(text.utf8), limit: 1000)
        #expect(object.offset == 1)
        #expect(object.members.map(\.name) == ["a", "é\n😀/"])
        guard case .array(let elements) = object["a"]?.content else {
            Issue.record("not an array")
            return
        }
        #expect(elements.map(\.offset) == [10, 21, 44, 49, 55])
        #expect(elements.map(\.kindName) == ["a number", "a number", "a boolean", "a boolean", "null"])
        guard case .number(let first) = elements[0].content, case .number(let second) = elements[1].content,
            case .text(let last) = object.members[1].value.content
        else {
            Issue.record("not what was written")
            return
        }
        #expect([first, second] == ["-0.0e+10", "12345678901234567890"])
        #expect(last == "ü\"/\u{8}\u{C}\r\t")
        #expect(object.members[1].offset == 64)
    }

    @Test("The deepest allowed nesting, many keys, and the exact size limit are accepted")
    func acceptsLimits() throws {
        let deep = Self.repeated("[", 32) + Self.repeated("]", 32)
        _ = try JSONReader.read(Array(deep.utf8), limit: deep.utf8.count)
        let wide = Array(Self.object(5000, last: "x").utf8)
        #expect(try JSONReader.readObject(wide, limit: wide.count).members.count == 5000)
        #expect(throws: DecodeError.self) { try JSONReader.read(wide, limit: wide.count - 1) }
    }

    @Test("Keys are compared by bytes, in linear time with many combining marks")
    func comparesKeysByBytes() throws {
        let marks = Self.repeated("\u{301}\u{323}", 120_000)
        for count in [2, 40] {
            let few = (0..<count - 2).map { "\"\($0)\":0," }.joined()
            let distinct = Array("{\(few)\"a\(marks)0\":0,\"a\(marks)1\":0}".utf8)
            let same = Array("{\(few)\"a\(marks)\":0,\"a\(marks)\":0}".utf8)
            let time = try ProcessorTime.measure {
                let object = try JSONReader.readObject(distinct, limit: distinct.count)
                #expect(object.members.count == count)
                let error = decodeError { _ = try JSONReader.read(same, limit: same.count) }
                #expect(error?.reason == .duplicateKey)
                #expect((error?.message.utf8.count ?? .max) < 400)
            }
            #expect(time < .seconds(10) * Sanitizer.slowdown)
        }
        #expect(try JSONReader.readObject(Array("{\"é\":1,\"e\u{301}\":2}".utf8), limit: 100).members.count == 2)
    }

    @Test("A document that must be an object is refused if it is not")
    func demandsObjects() {
        let error = decodeError { _ = try JSONReader.readObject(Array(" []".utf8), limit: 10) }
        #expect(error?.reason == .unexpectedType)
        #expect(error?.offset == 1)
    }
}
