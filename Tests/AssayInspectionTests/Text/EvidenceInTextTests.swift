import Assay
import AssayInspection
import AssayInspectionTestSupport
import AssayPrimitives
import AssayTesting
import Foundation
import Testing

/// Encodings and texts around evidence that programs print; the shared cases have more of them.
@Suite("Evidence in text, lists and compressed bytes")
struct EvidenceInTextTests {
    private static func assertion() throws -> [UInt8] {
        try AssertionBlueprint(
            key: AttestedKey(seed: "text", label: "shop"), appID: "1234567890.com.example.shop", counter: 7,
            clientData: .bytes([1])
        ).mint().assertion
    }

    private static func inspect(_ bytes: some Sequence<UInt8>) -> InspectionLayer {
        Verifier.inspector.inspect(Array(bytes), name: "blob")
    }

    @Test("Lists of bytes of Swift, Java, C#, Go and JavaScript are read, signed numbers too")
    func lists() throws {
        let assertion = try Self.assertion()
        let decimal = assertion.map { "\($0)" }.joined(separator: ", ")
        let signed = assertion.map { "\(Int8(bitPattern: $0))" }.joined(separator: ",")
        let hexadecimal = assertion.map { "0x" + [$0].hexadecimal }.joined(separator: ", ")
        for text in [
            "[\(decimal)]", "Optional([\(decimal)])", "new byte[] {\(signed)};", "[]byte{\(hexadecimal)}",
            "Uint8Array(\(assertion.count)) [\n  \(decimal)\n]", "<\(assertion.hexadecimal)>",
            "let bytes: [UInt8] = [\(hexadecimal)]", "byteArrayOf(\(signed))", "val list = listOf(\(signed))",
            "byte[] a = new byte[] {" + assertion.map { "(byte) 0x" + [$0].hexadecimal }.joined(separator: ", ") + "};",
            "byte[] a = {" + assertion.map { "(byte)\($0)" }.joined(separator: ", ") + "};",
        ] {
            let layer = Self.inspect(text.utf8)
            #expect(
                layer.layer("App Attest assertion")?.bytes == assertion,
                "\(text.prefix(40)): \(layer.format ?? "unknown")")
            #expect(LayerShape.problem(layer) == nil)
        }
        let cut = Self.inspect("{length = 140, bytes = 0x\(Array(assertion[..<20]).hexadecimal) ... 40000001 }".utf8)
        #expect(cut.format == "list of bytes")
        #expect(cut.annotations.first?.violation?.contains("cut in the middle") == true)
        for text in ["[1, 2, 3]", "[\(Array(repeating: "1000", count: 40).joined(separator: ","))]"] {
            #expect(Self.inspect(text.utf8).format == "JSON document", "numbers are no bytes")
        }
    }

    @Test("A member of JSON that is a list of bytes is decoded")
    func members() throws {
        let assertion = try Self.assertion()
        let list = assertion.map { "\($0)" }.joined(separator: ",")
        for text in [#"{"assertion":[\#(list)]}"#, #"{"assertion":{"type":"Buffer","data":[\#(list)]}}"#] {
            let layer = Self.inspect(text.utf8)
            #expect(layer.format == "JSON document")
            #expect(layer.layer("App Attest assertion")?.bytes == assertion)
            #expect(layer.nested.first?.name == "/assertion")
        }
    }

    @Test("UTF-16 without a byte order mark and data URLs inside JSON are decoded")
    func windowsTextAndDataURLs() throws {
        let assertion = try Self.assertion()
        let text = Base64.encode(assertion, .standard)
        let blobs: [[UInt8]] = [
            text.utf8.flatMap { [$0, 0] }, text.utf8.flatMap { [0, $0] },
            Array(#"{"assertion":"data:application/octet-stream;base64,\#(text)"}"#.utf8),
        ]
        for blob in blobs {
            let layer = Self.inspect(blob)
            #expect(layer.layer("App Attest assertion")?.bytes == assertion, "\(layer.format ?? "unknown")")
            #expect(LayerShape.problem(layer) == nil)
        }
        let others: [[UInt8]] = [[UInt8](repeating: 0, count: 64), text.utf8.prefix(15).flatMap { [$0, 0] }]
        for blob in others {
            #expect(Self.inspect(blob).format != UTF16Format.name, "zeros and few characters are no text")
        }
    }

    @Test("A blob in text is named by the word in front of it; base64 alone is no text")
    func labels() throws {
        let assertion = try Self.assertion()
        let text = Base64.encode(assertion, .standard)
        for (line, label) in [
            ("INFO assertion=\(text) id=7", "assertion"), ("\"assertion\": \"\(text)\", and more", "assertion"),
            ("-H 'X-Assertion: \(text)' -d x", "X-Assertion"),
            ("{\"assertion\":\"\(text.replacing("/", with: "\\/"))\" ...", "assertion"),
        ] {
            let layer = Self.inspect(line.utf8)
            let inner = try #require(layer.layer("App Attest assertion"), "\(line): \(layer.format ?? "unknown")")
            #expect(inner.bytes == assertion && inner.name.contains(label), "\(line): \(inner.name)")
        }
        #expect(Self.inspect(text.utf8).format == Base64Format.name)
    }

    @Test("The signature of a token in text is a credential and stays hidden")
    func credentials() throws {
        let signature = Base64.encode(Array(repeating: UInt8(0x5E), count: 32), .url)
        let layer = Self.inspect("session token=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzb21lYm9keSJ9.\(signature) end".utf8)
        #expect(layer.format == EvidenceTextFormat.name)
        #expect(!layer.secrets.isEmpty)
        func texts(_ annotations: [Annotation]) -> [String] {
            annotations.flatMap { [$0.value, $0.meaning].compactMap(\.self) + texts($0.children) }
        }
        for layer in layer.all { #expect(texts(layer.annotations).allSatisfy { !$0.contains(signature) }) }
    }

    @Test("A stream that expands beyond 1 MiB, and one with bytes behind it, are not decompressed")
    func bombs() throws {
        // The gzip stream of 2 MiB of zeros in stored and fixed blocks is made by the zlib of Foundation's platforms only; this one
        // repeats a stored block (RFC 1951 section 3.2.4).
        var stream: [UInt8] = [0x78, 0x01]
        let zeros = [UInt8](repeating: 0, count: 0xFFFF)
        for index in 0..<17 {
            stream += [index == 16 ? 1 : 0, 0xFF, 0xFF, 0x00, 0x00] + zeros
        }
        // Adler-32 of zeros: a = 1, b = the number of bytes modulo 65521 (RFC 1950 section 8.2).
        let sum = UInt32(17 * 0xFFFF % 65521) << 16 | 1
        stream += [UInt8(sum >> 24), UInt8(sum >> 16 & 0xFF), UInt8(sum >> 8 & 0xFF), UInt8(sum & 0xFF)]
        #expect(Self.inspect(stream).format != CompressedFormat.name)
        let small = try Self.stored(Self.assertion())
        #expect(Self.inspect(small).layer("App Attest assertion") != nil)
        #expect(Self.inspect(small + [0]).format != CompressedFormat.name)
    }

    /// A zlib stream of one stored block.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            a = (a + UInt32(byte)) % 65521
            b = (b + a) % 65521
        }
        let count = UInt16(bytes.count)
        let head: [UInt8] = [
            0x78, 0x01, 0x01, UInt8(count & 0xFF), UInt8(count >> 8), UInt8(~count & 0xFF), UInt8(~count >> 8),
        ]
        return head + bytes + [UInt8(b >> 8), UInt8(b & 0xFF), UInt8(a >> 8), UInt8(a & 0xFF)]
    }

    @Test("What Assay makes is named, and its secrets are not shown")
    func own() throws {
        let secret = Base64.encode(Array(repeating: UInt8(0x5E), count: 32), .url)
        for text in ["assay_\(secret)", "assay_debug_\(secret)\n", "assay-capture-private:\(secret)"] {
            let layer = Self.inspect(text.utf8)
            #expect(layer.format == OwnSecretFormat.name, "\(text)")
            #expect(layer.annotations.allSatisfy { $0.value == "(not shown)" } && !layer.secrets.isEmpty)
        }
        #expect(Self.inspect("version: 1\napps:\n  - name: shop\n".utf8).format == PolicyFormat.name)
        #expect(
            Self.inspect(#"{"kind":"app-attest.assertion","outcome":"accept","failed":[],"checks":[]}"#.utf8).format
                == VerdictFormat.name)
    }

    @Test("The summary has at most five lines, and says first what it is and last whether it is sound")
    func summary() throws {
        let assertion = try Self.assertion()
        let sound = InspectionSummary(Self.inspect(Base64.encode(assertion, .standard).utf8)).lines
        #expect(
            sound.count <= 5 && sound.first == "App Attest assertion, \(assertion.count) bytes, in base64", "\(sound)")
        #expect(sound.contains("counter 7") && sound.last?.hasPrefix("sound") == true, "\(sound)")
        let cut = InspectionSummary(Self.inspect(assertion.dropLast(20))).lines
        #expect(cut.last?.hasPrefix("not sound: App Attest assertion, byte ") == true, "\(cut)")
    }
}
