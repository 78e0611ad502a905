import AssayCore
import AssayPrimitives
import FoundationEssentials

extension FuzzTarget {
    /// RFC 3339 times: writing and reading gives the same time, to the millisecond.
    static let time = FuzzTarget(
        name: "time", maximumLength: 48, dictionary: ["T", "Z", "+00:00", "-23:59", ".999999999", "2026-02-29"],
        seeds: {
            [
                "2026-04-21T18:13:12.153Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999-23:59",
                "2024-02-29T00:00:00+01:00",
            ]
            .map { Array($0.utf8) }
        },
        run: { input in
            let time = RFC3339.parse(input)
            require(time == RFC3339.parse(input[...]), "two times for the same bytes")
            if let text = String(validating: input, as: UTF8.self) {
                require(time == RFC3339.parse(text), "another time for the text")
            }
            guard let time else { return false }
            let written = RFC3339.format(time)
            guard let again = RFC3339.parse(written) else { broken("what was written is refused: \(written)") }
            require(RFC3339.format(again) == written, "another time when written again: \(written)")
            // The offset of a time zone may lead beyond the years that can be written.
            let isInRange = (-62_167_219_200...253_402_300_799).contains(time.timeIntervalSince1970)
            require(!isInRange || abs(again.timeIntervalSince(time)) < 0.002, "\(written) is another time")
            return true
        })

    /// Text that is shown or compared: it contains no character that controls a terminal, and its length is bounded.
    static let text = FuzzTarget(
        name: "text", maximumLength: 256, dictionary: ["\u{202E}", "\u{1B}[31m", "\u{2028}", "e\u{301}", "\r\n"],
        seeds: {
            ["plain", "e\u{301}\u{202E}", "\u{1B}[0m\n", String(repeating: "x", count: 70)].map { Array($0.utf8) }
        },
        run: { input in
            let text = String(decoding: input, as: UTF8.self)
            for shown in [
                text.excerpt, text.escapingControls, "\(PathFailure.untrusted(subject: text.excerpt, issuer: ""))",
            ] {
                require(shown.unicodeScalars.allSatisfy { !$0.isActedOn }, "text that acts: \(Array(shown.utf8))")
            }
            require(text.excerpt.unicodeScalars.count <= 60 * 10 + 3, "a long excerpt")
            require(text.escapingControls.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "text beyond ASCII")
            let trimmed = HTTPFieldText.trimmed(text)
            require(
                trimmed.utf8.elementsEqual(HTTPFieldText.trimmed(Array(text.utf8)[...])),
                "trimmed in two ways: \(trimmed)")
            require(trimmed.isByteEqual(to: HTTPFieldText.trimmed(trimmed)), "trimmed twice: \(trimmed)")
            require(HTTPFieldText.isName(text, equalTo: text), "a name that is another one")
            let quoted = Array(RecordJSON.quoted(text).utf8)
            guard let read = try? JSONReader.read(quoted, limit: 1 << 16), case .text(let again) = read.content else {
                broken("a quoted text that cannot be read")
            }
            require(again.isByteEqual(to: text), "a quoted text that is another one")
            return true
        })
}
