import AssayInspection
import Testing

@Suite("Inspection of PEM")
struct PEMFormatTests {
    @Test("Text between blocks is kept, unterminated blocks are reported, and line breaks may be missing")
    func blocks() {
        let text =
            "before\n-----BEGIN CERTIFICATE-----\nAAEC\n-----END CERTIFICATE-----\nbetween\n"
            + "-----BEGIN PUBLIC KEY----- AAEC -----END PUBLIC KEY----- -----BEGIN PKCS7-----\nAAECAw"
        let bytes = Array(text.utf8)
        let contents = PEMFormat.annotate(bytes)
        #expect(contents.annotations.map(\.name) == ["text", "block 1", "text", "block 2", "block 3"])
        #expect(contents.annotations.map(\.value) == ["before", "CERTIFICATE", "between", "PUBLIC KEY", "PKCS7"])
        #expect(contents.annotations.last?.violation == "the block has no -----END boundary")
        #expect(contents.nested.map(\.bytes) == [[0, 1, 2], [0, 1, 2], [0, 1, 2, 3]])
        #expect(AnnotationRules.problems(contents, of: bytes) == [])
        #expect(PEMFormat.recognise(bytes)?.certainty == .structure)
        #expect(PEMFormat.recognise(Array("no boundary".utf8)) == nil)
    }

    @Test(
        "A private key is named by its label, and its bytes are not shown",
        arguments: [
            "PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "OPENSSH PRIVATE KEY",
            "PGP PRIVATE KEY BLOCK",
        ])
    func privateKeys(label: String) {
        for end in ["\n-----END \(label)-----\n", ""] {
            let bytes = Array("-----BEGIN \(label)-----\nc2VjcmV0LXNlY3JldA==\(end)".utf8)
            let contents = PEMFormat.annotate(bytes)
            #expect(contents.nested.isEmpty)
            #expect(!contents.annotations.shown.contains("c2VjcmV0"))
            #expect(contents.annotations["block 1"]?.meaning?.contains("not shown") ?? false)
            #expect(contents.secrets.first?.contains(bytes.count / 2) ?? false)
        }
    }

    @Test("Thousands of boundaries take linear time")
    func manyBoundaries() {
        let bytes = Array(String(repeating: "-----BEGIN ", count: 100_000).utf8)
        // The dashes of every second boundary end the label before it.
        #expect(PEMFormat.annotate(bytes).annotations.count == 50_000)
    }
}
