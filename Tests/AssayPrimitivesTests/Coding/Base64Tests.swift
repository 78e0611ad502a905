import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

@Suite("Base64") struct Base64Tests {
    /// RFC 4648 section 10, and bytes that have different characters in the two alphabets.
    static let pairs: [(hex: String, standard: String, url: String)] = [
        ("", "", ""), ("66", "Zg==", "Zg"), ("666f", "Zm8=", "Zm8"), ("666f6f", "Zm9v", "Zm9v"),
        ("666f6f62", "Zm9vYg==", "Zm9vYg"), ("666f6f6261", "Zm9vYmE=", "Zm9vYmE"),
        ("666f6f626172", "Zm9vYmFy", "Zm9vYmFy"), ("fbff", "+/8=", "-_8"), ("ffffff", "////", "____"),
        ("00", "AA==", "AA"),
    ]

    @Test("Both alphabets encode and decode", arguments: pairs)
    func convertsBothWays(_ pair: (hex: String, standard: String, url: String)) throws {
        let bytes = [UInt8](hex: pair.hex) ?? []
        #expect(Base64.encode(bytes, .standard) == pair.standard)
        #expect(Base64.encode(bytes, .url) == pair.url)
        #expect(try Base64.decode(pair.standard, .standard) == bytes)
        #expect(try Base64.decode(pair.url, .url) == bytes)
    }

    @Test("Encoding agrees with Foundation, for every length and many values")
    func agreesWithFoundation() throws {
        var bytes: [UInt8] = []
        for index in 0..<600 {
            let text = Base64.encode(bytes, .standard)
            #expect(text == Data(bytes).base64EncodedString())
            #expect(try Base64.decode(text, .standard) == bytes)
            #expect(try Base64.decode(Base64.encode(bytes, .url), .url) == bytes)
            bytes.append(UInt8(truncatingIfNeeded: index &* 151 &+ index >> 3))
        }
    }

    static let refusedStandard: [Rejection] = [
        Rejection("Zg", .unexpectedLength, 2, "padding is required"),
        Rejection("Zg=", .unexpectedLength, 3, "padding is complete"),
        Rejection("Zg===", .invalidText, 2, "padding has at most two characters"),
        Rejection("Zm9v====", .invalidText, 4, "padding has at most two characters"),
        Rejection("Zm9v=", .unexpectedLength, 5, "no padding where nothing is missing"),
        Rejection("Zm9v==", .unexpectedLength, 6, "no padding where nothing is missing"),
        Rejection("=", .unexpectedLength, 1, "padding alone is nothing"),
        Rejection("====", .invalidText, 0, "padding alone is nothing"),
        Rejection("Z===", .invalidText, 1, "one character is no byte"),
        Rejection("Zm9vY", .unexpectedLength, 5, "one character is no byte"),
        Rejection("Zg==Zg==", .invalidText, 2, "padding only at the end"),
        Rejection("Zh==", .notMinimal, 1, "the last character has no stray bits"),
        Rejection("Zm9=", .notMinimal, 2, "the last character has no stray bits"),
        Rejection("Zm9v\n", .invalidText, 4, "no line break at the end"),
        Rejection("Zm9v\nZm9v", .invalidText, 4, "no line break in between"),
        Rejection(" Zm9v", .invalidText, 0, "no white space"),
        Rejection("Zm-_", .invalidText, 2, "not the other alphabet"),
        Rejection("Zm9é", .invalidText, 3, "nothing but ASCII"),
        Rejection("Zm9\0", .invalidText, 3, "no NUL"),
    ]

    @Test("Non-canonical standard base64 is refused, with the byte offset", arguments: refusedStandard)
    func refusesStandard(_ rejection: Rejection) {
        let error = decodeError { _ = try Base64.decode(rejection.input, .standard) }
        #expect(rejection.matches(error), "\(String(describing: error))")
    }

    static let refusedURL: [Rejection] = [
        Rejection("Zg==", .invalidText, 2, "no padding"),
        Rejection("Zm9vY", .unexpectedLength, 5, "one character is no byte"),
        Rejection("Zh", .notMinimal, 1, "the last character has no stray bits"),
        Rejection("Zm9", .notMinimal, 2, "the last character has no stray bits"),
        Rejection("Zm+/", .invalidText, 2, "not the other alphabet"),
        Rejection("Zm9v.", .invalidText, 4, "a dot ends the part of a token"),
    ]

    @Test("Non-canonical base64url is refused, with the byte offset", arguments: refusedURL)
    func refusesURL(_ rejection: Rejection) {
        let error = decodeError { _ = try Base64.decode(rejection.input, .url) }
        #expect(rejection.matches(error), "\(String(describing: error))")
    }

    @Test("Offsets are indices of the slice")
    func offsetsAreIndices() {
        let text = Array("header.Zm9=.".utf8)
        #expect(decodeError { _ = try Base64.decode(text[7..<11], .url) }?.offset == 10)
    }

    @Test("Every single character is in the alphabet or refused")
    func everyCharacter() {
        for byte in UInt8.min...UInt8.max {
            let isLetterOrDigit =
                Character(UnicodeScalar(byte)).isASCII
                && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
            for position in 0..<4 {
                var text = Array("AAAA".utf8)
                text[position] = byte
                let inStandard = isLetterOrDigit || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
                let inURL = isLetterOrDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                let isPadding = byte == UInt8(ascii: "=") && position == 3
                #expect(
                    (decodeError { _ = try Base64.decode(text[...], .standard) } == nil) == (inStandard || isPadding))
                #expect((decodeError { _ = try Base64.decode(text[...], .url) } == nil) == inURL)
            }
        }
    }
}
