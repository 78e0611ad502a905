import Foundation

/// One blob of evidence in a spelling that people paste: the encodings of languages, tools and transports.
package struct Spelling: Sendable {
    /// What becomes of it.
    package enum Result: Sendable {
        /// `inspect` finds the evidence, and `verify` reads it without a hint.
        case read
        /// `inspect` finds the evidence; the hint of `verify` has these words.
        case found(String)
        /// Nothing finds it, for this reason.
        case lost(String)
    }

    package let name: String
    package let bytes: [UInt8]
    package let result: Result

    private init(_ name: String, _ bytes: [UInt8], _ result: Result) {
        (self.name, self.bytes, self.result) = (name, bytes, result)
    }

    private init(_ name: String, _ text: String, _ result: Result) { self.init(name, Array(text.utf8), result) }

    /// All spellings of a blob, which begins as an attestation object does.
    package static func all(of blob: [UInt8]) -> [Spelling] {
        let text = Text(blob)
        return [
            encodings(text), dumps(text), lists(text), strings(text), messages(text), lines(text), binary(text),
            lost(text),
        ].flatMap(\.self)
    }

    private static func encodings(_ text: Text) -> [Spelling] {
        let (base64, hexadecimal) = (text.base64, text.hexadecimal)
        return [
            Spelling("bytes", text.bytes, .read),
            Spelling("base64", base64, .read),
            Spelling("base64 with a line end", base64 + "\n", .read),
            Spelling("base64 without padding", base64.replacing("=", with: ""), .read),
            Spelling("base64url", text.base64URL, .read),
            Spelling("base64 in lines of 64", wrapped(base64, 64, "\n") + "\n", .read),
            Spelling("base64 in lines of 76, CRLF", wrapped(base64, 76, "\r\n") + "\r\n", .read),
            Spelling("base64 behind a byte order mark", "\u{FEFF}" + base64, .found("byte order mark")),
            Spelling("base64 in quotes", "\"\(base64)\"", .found("quotes")),
            Spelling("base64 twice", encoded(base64), .found("of base64 of an")),
            Spelling("base64 of hexadecimal", encoded(hexadecimal), .found("hexadecimal")),
            Spelling("data URL", "data:application/octet-stream;base64,\(base64)", .found("data URL")),
            Spelling(
                "data URL, percent-encoded", "data:application/octet-stream,\(text.percent)", .found("percent-encoding")
            ),
            Spelling("percent-encoded base64", percent(base64), .found("percent-encoding")),
            Spelling("percent-encoded twice", percent(percent(base64)), .found("percent-encoding")),
            Spelling("percent-encoded bytes", text.percent, .found("percent-encoding")),
            Spelling(
                "base64 whose + became spaces", base64.replacing("+", with: " "), .found("spaces stand where + belongs")
            ),
            Spelling("hexadecimal", hexadecimal, .found("hexadecimal")),
            Spelling("hexadecimal, upper case", hexadecimal.uppercased(), .found("hexadecimal")),
            Spelling("hexadecimal with spaces", text.join(" ") { hex($0) }, .found("hexadecimal")),
            Spelling("hexadecimal with colons", text.join(":") { hex($0) }, .found("hexadecimal")),
            Spelling("hexadecimal with dashes", text.join("-") { hex($0).uppercased() }, .found("hexadecimal")),
            Spelling("hexadecimal behind 0x", "0x\(hexadecimal)", .found("hexadecimal")),
            Spelling("hexadecimal in lines", wrapped(hexadecimal, 60, "\n"), .found("hexadecimal")),
            Spelling("bytea of PostgreSQL", "\\x\(hexadecimal)", .found("bytea")),
            Spelling("UTF-16, little-endian", base64.utf8.flatMap { [$0, 0] }, .found("UTF-16")),
            Spelling("UTF-16, big-endian", base64.utf8.flatMap { [0, $0] }, .found("UTF-16")),
            Spelling("UTF-16 with a mark", [0xFF, 0xFE] + base64.utf8.flatMap { [$0, 0] }, .found("UTF-16")),
            Spelling(
                "big-endian UTF-16 with a mark", [0xFE, 0xFF] + base64.utf8.flatMap { [0, $0] }, .found("UTF-16")),
            Spelling("zlib in base64", Data(text.zlib).base64EncodedString(), .found("zlib")),
        ]
    }

    private static func dumps(_ text: Text) -> [Spelling] {
        let rows = text.rows
        let offset = text.bytes.count
        let xxd = rows.map { start, row in
            padded(start, 8) + ": " + wrapped(row.map(hex).joined(), 4, " ") + "  " + visible(row)
        }
        let canonical = rows.map {
            padded($0, 8) + "  " + $1.map(hex).joined(separator: " ") + "  |" + visible($1) + "|"
        }
        func octal(_ number: Int, _ width: Int) -> String { padded(number, width, radix: 8) }
        func words(_ row: ArraySlice<UInt8>) -> [Int] {
            stride(from: row.startIndex, to: row.endIndex, by: 2).map { index in
                Int(row[index]) | (index + 1 < row.endIndex ? Int(row[index + 1]) << 8 : 0)
            }
        }
        func lines(_ start: (Int) -> String, _ word: (Int) -> String) -> String {
            rows.map { start($0) + " " + words($1).map(word).joined(separator: " ") }.joined(separator: "\n")
                + "\n\(start(offset))\n"
        }
        return [
            Spelling("xxd", xxd.joined(separator: "\n") + "\n", .found("hexadecimal dump")),
            Spelling(
                "xxd behind a timestamp", xxd.map { "2026-11-25T22:01:00Z DEBUG \($0)" }.joined(separator: "\n"),
                .found("a dump behind a prefix")),
            Spelling(
                "hexdump -C", canonical.joined(separator: "\n") + "\n\(padded(offset, 8))\n", .found("hexadecimal dump")
            ),
            Spelling("hexdump", lines({ padded($0, 7) }, { padded($0, 4) }), .found("words of 16 bits")),
            Spelling("od", lines({ octal($0, 7) }, { octal($0, 6) }), .found("octal words")),
            Spelling("od -x", lines({ octal($0, 7) }, { padded($0, 4) }), .found("words of 16 bits")),
            Spelling(
                "od -An -tx1", rows.map { " " + $1.map(hex).joined(separator: " ") }.joined(separator: "\n"),
                .found("hexadecimal")),
            Spelling(
                "od -b",
                rows.map { octal($0, 7) + " " + $1.map { octal(Int($0), 3) }.joined(separator: " ") }.joined(
                    separator: "\n"),
                .found("octal bytes")),
            Spelling(
                "od -An -tu1", rows.map { " " + $1.map { "\($0)" }.joined(separator: "  ") }.joined(separator: "\n"),
                .found("numbers")),
            Spelling(
                "xxd -i",
                "unsigned char attestation[] = {\n  " + text.join(", ") { "0x\(hex($0))" }
                    + "\n};\nunsigned int attestation_len = \(offset);\n", .found("numbers")),
        ]
    }

    private static func lists(_ text: Text) -> [Spelling] {
        let decimal = text.join(", ") { "\($0)" }
        let signed = text.join(", ") { "\(Int8(bitPattern: $0))" }
        let groups = wrapped(text.hexadecimal, 8, " ")
        let description = "{length = \(text.bytes.count), bytes = 0x\(text.hexadecimal)}"
        let indexed = text.bytes.enumerated().map { "'\($0)': \($1)" }.joined(separator: ", ")
        return [
            Spelling("NSData, old", "<\(groups)>", .found("NSData")),
            Spelling("NSData, new", description, .found("NSData")),
            Spelling("NSData in Optional", "Optional(<\(groups)>)", .found("hexadecimal in groups")),
            Spelling(
                "NSData in a log", "22:01:00 App[12:34] attestation: \(description)", .found("text with encoded blobs")),
            Spelling("array of Swift", "[\(decimal)]", .found("array of numbers")),
            Spelling("array of Swift behind a name", "let attestation: [UInt8] = [\(decimal)]\n", .found("array")),
            Spelling("Buffer of Node", "<Buffer \(text.join(" ") { hex($0) })>", .found("Buffer of Node")),
            Spelling("Buffer in JSON", #"{"type":"Buffer","data":[\#(decimal)]}"#, .found("Buffer of Node")),
            Spelling("Uint8Array of Node", "Uint8Array(\(text.bytes.count)) [\n  \(decimal)\n]", .found("array")),
            Spelling("Uint8Array of React Native", "LOG  attestation { \(indexed) }", .found("each behind its index")),
            Spelling("signed bytes of Java", "[\(signed)]", .found("signed")),
            Spelling("signed bytes in a log", "D/Attest: attestation=[\(signed)]", .found("array")),
            Spelling("byteArrayOf of Kotlin", "byteArrayOf(\(signed))", .found("array")),
            Spelling("bytes of Go", "[]byte{\(text.join(", ") { "0x\(hex($0))" })}", .found("array")),
            Spelling("bytes of Go, formatted", "[\(text.join(" ") { "\($0)" })]", .found("array")),
            Spelling("array of C", "const uint8_t a[] = {\n\(text.join(",") { "0x\(hex($0))" })};\n", .found("array")),
            Spelling("binary of Erlang", "<<\(decimal)>>", .found("numbers")),
            Spelling("one number a line", text.join("\n") { "\($0)" } + "\n", .found("numbers")),
            Spelling("numbers between commas", decimal, .found("numbers")),
            Spelling("numbers between spaces", text.join(" ") { "\($0)" }, .found("numbers")),
            Spelling("binary digits", text.join(" ") { padded(Int($0), 8, radix: 2) }, .found("binary bytes")),
            Spelling(
                "hexadecimal in a log", "22:01:01 attestation: \(text.join(" ") { hex($0) })",
                .found("hexadecimal in groups")),
        ]
    }

    private static func strings(_ text: Text) -> [Spelling] {
        func literal(_ escape: (UInt8) -> String) -> String {
            text.join("") { byte in
                (0x20...0x7E).contains(byte) && ![0x22, 0x27, 0x5C].contains(byte)
                    ? String(UnicodeScalar(byte)) : escape(byte)
            }
        }
        let python = literal { "\\x\(hex($0))" }
        // Three digits, as protobuf writes them, so that a digit behind them is a character of its own.
        let octal = literal { "\\" + padded(Int($0), 3, radix: 8) }
        let (base64, quote) = (text.base64, "\"")
        let entities = base64.utf8.map { "+/=".utf8.contains($0) ? "&#\($0);" : String(UnicodeScalar($0)) }.joined()
        let latin1 = String(String.UnicodeScalarView(text.bytes.map { UnicodeScalar($0) }))
        return [
            Spelling("bytes of Python", "b'\(python)'", .found("a string with escapes")),
            Spelling("bytes of Python behind a name", "attestation = b'\(python)'\n", .found("a string with escapes")),
            Spelling(
                "string of Ruby", "\"\(text.join("") { "\\x\(hex($0).uppercased())" })\"",
                .found("a string with escapes")),
            Spelling("string of C with octal escapes", "\"\(octal)\";", .found("a string with escapes")),
            Spelling("text of protobuf", "attestation: \"\(octal)\"\n", .found("a string with escapes")),
            Spelling("Latin-1 as UTF-8", latin1, .found("Latin-1")),
            Spelling("Optional of Swift", "Optional(\"\(base64)\")", .found("text with encoded blobs")),
            Spelling("Some of Rust", "Some(\"\(base64)\")", .found("text with encoded blobs")),
            Spelling("template of JavaScript", "const a = `\(base64)`;", .found("text with encoded blobs")),
            Spelling(
                "concatenation of Swift", "let a = \"\(wrapped(base64, 70, "\" +\n    \""))\"\n",
                .found("text with encoded blobs")),
            Spelling(
                "concatenation of JavaScript", "const a = '\(wrapped(base64, 70, "'\n  + '"))';\n",
                .found("text with encoded blobs")),
            Spelling(
                "concatenation of PHP", "$a = '\(wrapped(base64, 70, "'\n . '"))';\n", .found("text with encoded blobs")
            ),
            Spelling(
                "concatenation of C", "char *a = \"\(wrapped(base64, 70, "\"\n  \""))\";\n",
                .found("text with encoded blobs")),
            Spelling(
                "multi-line string of Swift",
                "let a = \(quote)\(quote)\(quote)\n\(wrapped(base64, 70, "\\\n"))\n\"\"\"\n",
                .found("text with encoded blobs")),
            Spelling("entities of HTML", "<p>\(entities)</p>", .found("entities of HTML")),
            Spelling(
                "quoted-printable",
                wrapped(base64.replacing("=", with: ""), 75, "=\r\n")
                    + String(repeating: "=3D", count: base64.utf8.count { $0 == 0x3D }),
                .found("quoted-printable")),
        ]
    }

    private static func messages(_ text: Text) -> [Spelling] {
        let base64 = text.base64
        let body = "{\"attestation\":\"\(base64)\",\"keyId\":\"abc\"}"
        let escaped = body.replacing("/", with: "\\/")
        let quoted = "\"" + escaped.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        let multipart =
            "--b1\r\nContent-Disposition: form-data; name=\"attestation\"\r\n\r\n\(base64)\r\n--b1--\r\n"
        return [
            Spelling("JSON", body, .found("JSON document")),
            Spelling("JSON with escaped slashes", escaped, .found("JSON document")),
            Spelling("JSON with hexadecimal", "{\"attestation\":\"\(text.hexadecimal)\"}", .found("JSON document")),
            Spelling("JSON with percent-encoding", "{\"attestation\":\"\(percent(base64))\"}", .found("JSON document")),
            Spelling("array of JSON", "[\"\(base64)\"]", .found("JSON document")),
            Spelling("JSON as a string", quoted, .found("text with encoded blobs")),
            Spelling("JSON in JSON", "{\"statusCode\":200,\"body\":\(quoted)}", .found("JSON document")),
            Spelling("JSON in a log", "2026-11-25T22:01:00Z INFO body=\(quoted)", .found("text with encoded blobs")),
            Spelling("form", "keyId=abc&attestation=\(percent(base64))&x=1", .found("text with encoded blobs")),
            Spelling("form with bytes", "keyId=abc&attestation=\(text.percent)&x=1", .found("percent-encoding")),
            Spelling(
                "form whose + became spaces", "attestation=\(base64.replacing("+", with: " "))&keyId=1",
                .found("spaces stand where + belongs")),
            Spelling(
                "query", "https://a.example/x?attestation=\(text.base64URL)&k=2", .found("text with encoded blobs")),
            Spelling("multipart body", multipart, .found("attestation")),
            Spelling(
                "HTTP message", "POST /a HTTP/1.1\r\nHost: a.example\r\nContent-Type: application/json\r\n\r\n\(body)",
                .found("HTTP message")),
            Spelling(
                "curl", "curl -X POST https://a.example/attest \\\n  -H 'X-A: b' \\\n  -d '\(body)'\n",
                .found("text with encoded blobs")),
            Spelling(
                "curl with continued lines", "curl https://a.example \\\n -d \"\(wrapped(base64, 76, "\\\n"))\"\n",
                .found("text with encoded blobs")),
            Spelling("XML", "<?xml version=\"1.0\"?><a><b>\(base64)</b></a>", .found("text with encoded blobs")),
            Spelling(
                "property list", "<plist><data>\n\t\(wrapped(base64, 68, "\n\t"))\n</data></plist>",
                .found("text with encoded blobs")),
        ]
    }

    private static func lines(_ text: Text) -> [Spelling] {
        let base64 = text.base64
        func behind(_ prefix: String, _ length: Int) -> String {
            prefix + wrapped(base64, length, "\n\(prefix)") + "\n"
        }
        let pieces = wrapped(base64, 200, "\n").split(separator: "\n")
        let numbered = pieces.enumerated().map { "part \($0 + 1)/\(pieces.count): \($1)" }.joined(separator: "\n")
        let known = Result.found("text with encoded blobs")
        return [
            Spelling("name and value", "attestation: \(base64)", known),
            Spelling("environment variable", "ATTESTATION=\(base64)", known),
            Spelling("YAML", "keyId: abc\nattestation: >-\n  \(wrapped(base64, 76, "\n  "))\nx: 1\n", known),
            Spelling("CSV", "id,attestation\n1,\(base64)\n", known),
            Spelling("CSV with bytea", "id;attestation\n1;\\x\(text.hexadecimal)\n", known),
            Spelling("tabulator", "1\t\(base64)", known),
            Spelling("SQL", "INSERT INTO a VALUES (1, X'\(text.hexadecimal)');", known),
            Spelling("log", "2026-11-25 22:01:00.123 INFO [main] attestation=\(base64)\n", known),
            Spelling("logcat", behind("11-25 22:01:00.123  1234  5678 D Attest : ", 100), known),
            Spelling("logcat, brief", behind("D/Attest( 1234): ", 400), known),
            Spelling("log in numbered parts", numbered, known),
            Spelling("mail", "Hello,\n> here it is:\n\(behind("> ", 72))> Thanks, bye\n", known),
            Spelling("mail quoted twice", behind("> > ", 72), known),
            Spelling("Markdown", "Look:\n```\n\(wrapped(base64, 76, "\n"))\n```\nok\n", known),
            Spelling(
                "PEM-like", "-----BEGIN APP ATTEST-----\n\(wrapped(base64, 64, "\n"))\n-----END APP ATTEST-----\n",
                .found("in which")),
        ]
    }

    private static func binary(_ text: Text) -> [Spelling] {
        func head(_ first: UInt8, _ count: Int) -> [UInt8] { [first, UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)] }
        func field(_ tag: UInt8, _ bytes: [UInt8]) -> [UInt8] {
            [tag, UInt8(bytes.count & 0x7F) | 0x80, UInt8(bytes.count >> 7)] + bytes
        }
        let (bytes, base64) = (text.bytes, Array(text.base64.utf8))
        let map: [UInt8] = [0xA1, 0x63, 0x61, 0x74, 0x74]
        return [
            Spelling("byte string of CBOR", head(0x59, bytes.count) + bytes, .found("byte string of CBOR")),
            Spelling(
                "byte string of CBOR in base64", Data(head(0x59, bytes.count) + bytes).base64EncodedString(),
                .found("byte string of CBOR")),
            Spelling("text of CBOR", head(0x79, base64.count) + base64, .found("base64")),
            Spelling("map of CBOR", map + head(0x59, bytes.count) + bytes, .found("CBOR")),
            Spelling("map of CBOR with base64", map + head(0x79, base64.count) + base64, .found("base64")),
            Spelling("array of CBOR", [0x81] + head(0x59, bytes.count) + bytes, .found("CBOR")),
            Spelling("tag 24 of CBOR", [0xD8, 0x18] + head(0x59, bytes.count) + bytes, .found("CBOR")),
            Spelling("bytes of protobuf", field(0x12, bytes), .found("protobuf")),
            Spelling("string of protobuf", field(0x0A, base64), .found("base64")),
            Spelling(
                "message of protobuf in gRPC", [0, 0] + head(0, bytes.count + 3) + field(0x0A, bytes),
                .found("protobuf")),
            Spelling(
                "OCTET STRING of DER", [0x04, 0x82] + head(0, bytes.count).dropFirst() + bytes, .found("OCTET STRING")),
        ]
    }

    private static func lost(_ text: Text) -> [Spelling] {
        [
            Spelling(
                "NSData cut in the middle",
                "{length = \(text.bytes.count), bytes = 0x\(text.hexadecimal.prefix(32)) ... \(text.hexadecimal.suffix(32)) }",
                .lost("the middle is not there")),
            Spelling(
                "bytes read as UTF-8", String(decoding: text.bytes, as: UTF8.self),
                .lost("the bytes that are no UTF-8 are not there")),
        ]
    }

    // MARK: Words

    private struct Text {
        let bytes: [UInt8]
        let base64: String
        let hexadecimal: String

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            base64 = Data(bytes).base64EncodedString()
            hexadecimal = bytes.map(hex).joined()
        }

        var base64URL: String {
            base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }

        var percent: String {
            join("") { byte in
                isUnreserved(byte) ? String(UnicodeScalar(byte)) : "%\(hex(byte).uppercased())"
            }
        }

        var rows: [(Int, ArraySlice<UInt8>)] {
            stride(from: 0, to: bytes.count, by: 16).map { ($0, bytes[$0..<min($0 + 16, bytes.count)]) }
        }

        /// A zlib stream of one stored block (RFC 1950, RFC 1951 section 3.2.4).
        var zlib: [UInt8] {
            var (a, b): (UInt32, UInt32) = (1, 0)
            for byte in bytes {
                a = (a + UInt32(byte)) % 65521
                b = (b + a) % 65521
            }
            var stream: [UInt8] = [0x78, 0x01, 0x01]
            for number in [UInt16(bytes.count), ~UInt16(bytes.count)] {
                stream += [UInt8(number & 0xFF), UInt8(number >> 8)]
            }
            stream += bytes
            for number in [b, a] { stream += [UInt8(number >> 8), UInt8(number & 0xFF)] }
            return stream
        }

        func join(_ separator: String, _ word: (UInt8) -> String) -> String {
            bytes.map(word).joined(separator: separator)
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }

    private static func hex(_ byte: UInt8) -> String { padded(Int(byte), 2) }

    private static func padded(_ number: Int, _ width: Int, radix: Int = 16) -> String {
        let digits = String(number, radix: radix)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    private static func visible(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { (0x20...0x7E).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
    }

    private static func encoded(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    private static func percent(_ text: String) -> String {
        text.utf8.map { isUnreserved($0) ? String(UnicodeScalar($0)) : "%\(hex($0).uppercased())" }.joined()
    }

    private static func wrapped(_ text: String, _ length: Int, _ end: String) -> String {
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: length).map {
            String(decoding: bytes[$0..<min($0 + length, bytes.count)], as: UTF8.self)
        }.joined(separator: end)
    }
}
