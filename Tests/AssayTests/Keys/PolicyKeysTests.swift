import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

/// Every key of a policy is checked when it is read; an error names line, field, finding and what is allowed.
@Suite("Keys of a policy file")
struct PolicyKeysTests {
    private static let secret = "correct horse"

    /// A policy with these keys, from line 3 on, whose files are these.
    private func load(_ keys: String, _ files: [String: String] = ["s": secret], mode: Int = 0o600) throws
        -> VerificationPolicy
    {
        let folder = try KeyFolder()
        for (name, contents) in files { try folder.write(name, contents, mode: mode) }
        let text = """
            version: 1
            keys:
            \(keys)
            apps:
              - name: shop
                appAttest:
                  appIDs: [1234567890.com.example.shop]
                  environments: [production]
                  challenge: caller
                  clientData: none
            """
        return try PolicyFile.parse(
            text, file: "p.yaml", files: LocalFiles(relativeTo: folder.path("p.yaml")),
            keyMaterials: [TestSecret.self, OtherSecret.self])
    }

    private struct OtherSecret: KeyMaterial {
        static let purpose = KeyPurpose("other")
        static let parts = [KeyPart("shared", .secret, isRequired: true, form: "text")]
        let algorithm = "none"

        init(parts: [String: SecretBytes]) throws(KeyError) {
            throw KeyError("never", part: "", "no such key can be used")
        }
    }

    private func check(
        _ keys: String, line: Int, _ field: String, _ words: String, files: [String: String] = ["s": secret],
        mode: Int = 0o600
    ) {
        do {
            _ = try load(keys, files, mode: mode)
            Issue.record("accepted: \(keys)")
        } catch let error as PolicyError {
            #expect(error.file == "p.yaml")
            #expect(error.line == line && error.field == field, "\(error)")
            #expect(error.message.contains(words), "\(error)")
            #expect(!error.description.contains("correct") && !error.description.contains("horse"))
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test("A key is read with its window, what it is for, and its parts")
    func accepted() async throws {
        let policy = try load(
            """
              - { name: a, use: test, secret: "file:s" }
              - name: b
                use: test
                for: com.example.shop
                notBefore: 2026-01-01T00:00:00Z
                notAfter: "2027-01-31T00:00:00+01:00"
                secret: file:./t
                label: file:l
            """, ["s": Self.secret, "t": "other\n", "l": "label"])
        #expect(policy.keys.map(\.name) == ["a", "b"])
        #expect(policy.keys.map(\.scope) == [nil, "com.example.shop"])
        #expect(policy.keys[0].window == .always)
        #expect(policy.keys[1].window.notBefore.map(RFC3339.format) == "2026-01-01T00:00:00Z")
        #expect(policy.keys[1].window.notAfter.map(RFC3339.format) == "2027-01-30T23:00:00Z")
        let materials = policy.keys.compactMap { $0.material as? TestSecret }
        #expect(materials.map(\.secret.testText) == [Self.secret, "other\n"])
        #expect(materials.map { $0.label?.testText } == [nil, "label"])
        let keys = try await StaticKeyStore(policy.keys).keys(for: TestSecret.purpose)
        #expect(keys.map(\.name) == ["a", "b"])
    }

    @Test("Files of public parts may be readable for all, of secret ones not; the error has the command")
    func permissions() throws {
        check("  - { name: a, use: test, secret: file:s }", line: 3, "keys[0].secret", "run: chmod 600 /", mode: 0o644)
        check("  - { name: a, use: test, secret: file:s }", line: 3, "keys[0].secret", "(mode 0640)", mode: 0o640)
        let folder = try KeyFolder()
        try folder.write("s", Self.secret)
        try folder.write("l", "label", mode: 0o644)
        try folder.write(
            "p.yaml", "version: 1\nkeys:\n  - { name: a, use: test, secret: file:s, label: file:l }\napps: []\n")
        let text = try String(contentsOfFile: folder.path("p.yaml"), encoding: .utf8)
        let error = #expect(throws: PolicyError.self) {
            try PolicyFile.parse(
                text, file: nil, files: LocalFiles(relativeTo: folder.path("p.yaml")), keyMaterials: [TestSecret.self])
        }
        #expect(error?.field == "apps", "the keys are in order")
    }

    @Test("Errors in keys are reported with their place, and without the secret")
    func errors() {
        check("  []", line: 3, "keys", "a list of at least one value")
        check("  {}", line: 3, "keys", "a list")
        check("  - \(Self.secret)", line: 3, "keys[0]", "expected a mapping of name, use, for")
        check(
            "  - { name: a, secret: file:s }", line: 3, "keys[0].use",
            "required field is missing; allowed are test, other")
        check("  - { name: a, use: tests }", line: 3, "keys[0].use", "allowed are test, other, found \"tests\"")
        check("  - { name: a, use: [test] }", line: 3, "keys[0].use", "expected text, found a list")
        check("  - { use: test, secret: file:s }", line: 3, "keys[0].name", "required field is missing")
        check("  - { name: [a], use: test, secret: file:s }", line: 3, "keys[0].name", "expected text")
        check("  - { name: \"a\\tb\", use: test, secret: file:s }", line: 3, "keys[0].name", "no control")
        check("  - { name: a, use: test, secret: file:s, for: \" x\" }", line: 3, "keys[0].for", "no space at its ends")
        check("  - { name: a, use: test, secret: file:s, for: ~ }", line: 3, "keys[0].for", "found nothing")
        check(
            "  - { name: a, use: test, shared: file:s }", line: 3, "keys[0].shared",
            "unknown field; allowed are name, use, for, notBefore, notAfter, secret, label")
        check("  - { name: a, use: test }", line: 3, "keys[0].secret", "required field is missing; 1 to 64 bytes")
        check("  - { name: a, use: test, secret: }", line: 3, "keys[0].secret", "found nothing")
        check("  - { name: a, use: test, secret: \(Self.secret) }", line: 3, "keys[0].secret", "file:PATH or env:NAME")
        check("  - { name: a, use: test, secret: [file:s] }", line: 3, "keys[0].secret", "found a list")
        check("  - { name: a, use: test, secret: file:missing }", line: 3, "keys[0].secret", "missing cannot be read")
        check("  - { name: a, use: test, secret: file:s }", line: 3, "keys[0].secret", "is empty", files: ["s": ""])
        check(
            "  - { name: a, use: test, secret: file:s }", line: 3, "keys[0].secret", "expected 1 to 64 bytes",
            files: ["s": String(repeating: "horse", count: 20)])
        check(
            "  - { name: a, use: test, secret: file:s }", line: 3, "keys[0].secret",
            "more than the 65536 bytes that are allowed",
            files: ["s": String(repeating: "horse", count: 20_000)])
        check(
            "  - { name: a, use: test, secret: \"env:ASSAY_TEST_UNSET\" }", line: 3, "keys[0].secret",
            "environment variable ASSAY_TEST_UNSET is not set")
        check("  - { name: a, use: other, shared: file:s }", line: 3, "keys[0]", "no such key can be used")
        check(
            "  - name: a\n    use: test\n    notBefore: tomorrow\n    secret: file:s", line: 5, "keys[0].notBefore",
            "an RFC 3339 time such as 2027-01-31T00:00:00Z, found \"tomorrow\"")
        check(
            "  - name: a\n    use: test\n    secret: file:s\n    notAfter: 2026-01-01", line: 6, "keys[0].notAfter",
            "RFC 3339")
        check(
            "  - name: a\n    use: test\n    notBefore: 2026-01-02T00:00:00Z\n    notAfter: 2026-01-01T00:00:00Z\n"
                + "    secret: file:s", line: 6, "keys[0].notAfter", "the window ends before it begins")
        check(
            "  - { name: a, use: test, secret: file:s }\n  - { use: test, secret: file:s, name: a }", line: 4,
            "keys[1].name", "two keys are named a; names are unique")
    }

    @Test("An app names keys of its engine's purpose; one that the policy lacks may be in a key store")
    func references() throws {
        func load(_ names: String) throws -> VerificationPolicy {
            let folder = try KeyFolder()
            try folder.write("s", Self.secret)
            let text = """
                version: 1
                keys:
                  - { name: a, use: test, secret: file:s }
                apps:
                  - name: shop
                    playIntegrity:
                      packageName: com.example.shop
                      keys: \(names)
                      certificateDigests: ["\(String(repeating: "00", count: 32))"]
                """
            return try PolicyFile.parse(
                text, file: "p.yaml", files: LocalFiles(relativeTo: folder.path("p.yaml")),
                keyMaterials: [TestSecret.self])
        }
        #expect(try load("[elsewhere, other]").keys.map(\.name) == ["a"])
        let error = #expect(throws: PolicyError.self) { try load("[elsewhere, a]") }
        #expect(error?.line == 8 && error?.field == "apps[0].playIntegrity.keys[1]")
        #expect(error?.message == "the key a is for test; expected one for play-integrity")
    }

    @Test("A policy without keys has none")
    func none() throws {
        let text = "version: 1\napps: []\n"
        let error = #expect(throws: PolicyError.self) { try PolicyFile.parse(text, file: nil, files: MemoryFiles()) }
        #expect(error?.field == "apps")
    }
}
