import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("assay verify, raw Play Integrity tokens")
struct VerifyRawTokenTests {
    @Test("A classic token is opened with keys from files and the environment, and the verdict names the key")
    func classic() throws {
        let scratch = try Scratch()
        let token = try scratch.writeClassicToken()
        let run = try scratch.run(TestTokens.classic())
        #expect(run.status == 0, "\(run.errors)\(run.output)")
        #expect(run.output.contains("opened with key command-line"), "\(run.output)")
        try scratch.write("token.txt", Data("\n \(token)\r\n".utf8))
        #expect(try scratch.run(TestTokens.classic()).status == 0)
        let given = try scratch.run(
            TestTokens.classicEvidence() + [
                "--decryption-key", "env:DECRYPTION", "--verification-key", "env:VERIFICATION", "--certificate-digest",
                TestTokens.hexDigest, "--json",
            ],
            environment: [
                "DECRYPTION": TestTokens.keys.decryptionKeyFile, "VERIFICATION": TestTokens.keys.verificationKeyFile,
            ])
        let verdict = try #require(try given.json().first, "\(given.errors)")
        #expect(verdict["outcome"] as? String == "accept")
        #expect((verdict["subject"] as? [String: Any])?["packageName"] as? String == TestTokens.packageName)
        for form in TestKeys.forms(Data(TestTokens.keys.decryptionKey)) {
            #expect(!"\(run.output)\(run.errors)\(given.output)\(given.errors)".contains(form))
        }
    }

    @Test("The token is compared with the options")
    func classicRejections() throws {
        let scratch = try Scratch()
        let token = try scratch.writeClassicToken()
        let other = Data(repeating: 7, count: 32).base64EncodedString()
        let nonce = Data(repeating: 7, count: 18).base64EncodedString()
        let table: [(arguments: [String], check: String)] = [
            (TestTokens.classic(nonce: nonce), "nonce"),
            (TestTokens.classic(packageName: "com.example.other"), "request-package"),
            (TestTokens.classic(digest: other), "certificate"),
            (TestTokens.classic() + ["--minimum-version-code", "43"], "version-code"),
            (TestTokens.classic() + ["--at", "2999-01-01T00:00:00Z"], "freshness"),
        ]
        for entry in table {
            let run = try scratch.run(entry.arguments)
            #expect(run.status == 1, "\(entry.arguments): \(run.errors)")
            #expect(run.output.contains("rejected because: play-integrity.\(entry.check):"), "\(run.output)")
        }
        for (contents, check) in [(token + "=", "decode"), ("[]", "decode"), (token.withOtherLetter, "decryption")] {
            try scratch.write("token.txt", Data(contents.utf8))
            let run = try scratch.run(TestTokens.classic())
            #expect(run.status == 1, "\(run.errors)")
            #expect(run.output.contains("rejected because: play-integrity.\(check):"), "\(run.output)")
        }
        try scratch.write("token.txt", Data("{}".utf8))
        let object = try scratch.run(TestTokens.classic())
        #expect(object.status == 64 && object.errors.contains("give --decoded"), "\(object.errors)")
    }

    @Test("An unreadable or invalid key is reported with its option")
    func keys() throws {
        let scratch = try Scratch()
        try scratch.writeClassicToken()
        try scratch.writeSecret("short", "c2hvcnQ=")
        try scratch.writeSecret("open", TestTokens.keys.decryptionKeyFile, mode: 0o644)
        let (decryption, verification) = ("--decryption-key", "--verification-key")
        let table: [(decryption: String, verification: String, sentences: [String])] = [
            ("file:v", "file:d", ["\(decryption): ", "swapped"]),
            ("file:short", "file:v", ["\(decryption): ", "base64 of 5 bytes"]),
            ("file:d", "file:d", ["\(verification): ", "swapped"]),
            ("file:missing", "file:v", ["\(decryption): ", "missing cannot be read"]),
            ("file:d", "env:MISSING", ["\(verification): ", "MISSING is not set"]),
            ("file:open", "file:v", ["\(decryption): ", "chmod 600 open"]),
        ]
        for entry in table {
            let run = try scratch.run(
                TestTokens.classicEvidence() + [
                    "--certificate-digest", TestTokens.hexDigest, decryption, entry.decryption, verification,
                    entry.verification,
                ])
            #expect(run.status == 2, "\(entry): \(run.output)")
            for sentence in entry.sentences { #expect(run.errors.contains(sentence), "\(entry): \(run.errors)") }
        }
    }

    private static func words(_ run: Run) -> String {
        (run.output + run.errors).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test("A nonce that the app decoded or encoded once more is said to be that")
    func nonceMistakes() throws {
        let scratch = try Scratch()
        _ = try scratch.writeClassicToken()
        let encoded = try scratch.run(
            TestTokens.classic(nonce: Data(TestTokens.nonce.utf8).base64EncodedString()))
        #expect(encoded.status == 1)
        #expect(
            Self.words(encoded).contains("the app passed the decoded bytes of this nonce (base64)"),
            "\(Self.words(encoded))")
    }

    @Test("A standard token is judged from Google's answer, and accepted once by a ledger")
    func standard() throws {
        let scratch = try Scratch()
        try scratch.writeStandardAnswer()
        let run = try scratch.run(TestTokens.standard())
        #expect(run.status == 0, "\(run.errors)\(run.output)")
        #expect(run.errors.contains("answer.json: read as Google's answer"), "\(run.errors)")
        let ledger = ["--ledger", "sqlite:ledger.sqlite", "--create-ledger", "--app", "shop"]
        #expect(try scratch.run(TestTokens.standard() + ledger).status == 0)
        let replay = try scratch.run(TestTokens.standard() + ledger)
        #expect(replay.status == 1)
        #expect(replay.output.contains("rejected because: play-integrity.challenge:"), "\(replay.output)")
        let other = try scratch.run(TestTokens.standard(requestHash: "other"))
        #expect(other.status == 1)
        #expect(other.output.contains("rejected because: play-integrity.request-hash:"), "\(other.output)")
        #expect(Self.words(other).contains("usual mistakes makes the request hash of the token of this one"))
        let padded = try scratch.run(TestTokens.standard(requestHash: TestTokens.requestHash + "=="))
        #expect(
            Self.words(padded).contains("the app passed the base64url text of the bytes of this request hash"),
            "\(Self.words(padded))")
        let refusal = StandardAnswerBlueprint.error(code: 400, message: "no", status: "INVALID_ARGUMENT")
        try scratch.write("answer.json", refusal.encoded)
        let refused = try scratch.run(TestTokens.standard())
        #expect(refused.status == 1)
        #expect(refused.output.contains("rejected because: play-integrity.decode:"), "\(refused.output)")
    }

    @Test("A PC game needs --pc and no certificate, and Android options are refused for it")
    func pc() throws {
        let scratch = try Scratch()
        try scratch.writeStandardAnswer()
        let command = TestTokens.standardEvidence() + ["--pc"]
        let android = try scratch.run(command)
        #expect(android.status == 1)
        #expect(android.output.contains("rejected because: play-integrity.payload:"), "\(android.output)")
        let answer = StandardAnswerBlueprint(
            pcPackageName: TestTokens.packageName, requestHash: TestTokens.requestHash, issuedAt: TestEvidence.now)
        try scratch.write("answer.json", answer.mint().body)
        let run = try scratch.run(command)
        #expect(run.status == 0, "\(run.errors)\(run.output)")
    }

    @Test("A policy replaces keys and certificates")
    func policy() throws {
        let scratch = try Scratch()
        try scratch.writeClassicToken()
        let policy = """
            version: 1
            keys:
              - { name: play-test, use: play-integrity, decryptionKey: "file:d", verificationKey: "file:v" }
            apps:
              - name: shop
                playIntegrity:
                  packageName: \(TestTokens.packageName)
                  keys: [play-test]
                  challenge: caller
                  certificateDigests: ["\(TestTokens.hexDigest)"]
            """
        try scratch.write("policy.yaml", Data(policy.utf8))
        let run = try scratch.run(TestTokens.classicEvidence() + ["--policy", "policy.yaml"])
        #expect(run.status == 0, "\(run.errors)\(run.output)")
        #expect(run.output.contains("opened with key play-test"))
        let both = try scratch.run(TestTokens.classic() + ["--policy", "policy.yaml"])
        #expect(both.status == 64)
        #expect(both.errors.contains("--policy exclude each other"), "\(both.errors)")
    }

    @Test("Options of other kinds, missing options and contradictions are refused")
    func usage() throws {
        let scratch = try Scratch()
        try scratch.writeClassicToken()
        try scratch.writeStandardAnswer()
        let classic = TestTokens.classicEvidence()
        let kind = ["verify", "--kind", "play-integrity.classic", "token.txt"]
        let digest = ["--certificate-digest", TestTokens.hexDigest]
        let keys = ["--decryption-key", "file:d", "--verification-key", "file:v"]
        let package = ["--package-name", TestTokens.packageName]
        let pc = TestTokens.standardEvidence() + ["--pc"]
        let table: [(arguments: [String], sentence: String)] = [
            (kind + ["--nonce", TestTokens.nonce] + digest + keys, "--package-name is required"),
            (kind + package + digest + keys, "--nonce is required"),
            (classic + keys, "--certificate-digest is required"),
            (classic + digest, "--decryption-key and --verification-key are required"),
            (classic + digest + ["--decryption-key", "file:d"], "--verification-key are required"),
            (classic + keys + ["--certificate-digest", "6a:6a"], "found 2 bytes in hexadecimal digits"),
            (TestTokens.classic() + digest, "--certificate-digest: the digest is in the list twice"),
            (TestTokens.classic(packageName: "shop"), "--package-name: a package name has at least two segments"),
            (TestTokens.classic(nonce: "short"), "--nonce: a nonce has 16 to 500 characters, found 5"),
            (TestTokens.classic() + ["--pc"], "play-integrity.classic has no option --pc"),
            (TestTokens.classic() + ["--request-hash", "h"], "has no option --request-hash"),
            (TestTokens.classic() + ["--key-id", "AAAA"], "has no option --key-id"),
            (TestTokens.standard() + keys, "has no option --decryption-key"),
            (TestTokens.standard() + ["--nonce", TestTokens.nonce], "has no option --nonce"),
            (pc + digest, "--certificate-digest and --pc exclude each other"),
            (pc + ["--minimum-version-code", "1"], "--minimum-version-code and --pc exclude each other"),
            (TestTokens.standardEvidence(), "--certificate-digest is required"),
            (TestTokens.standard() + ["--google-url", "https://example.com"], "--google-url needs --service-account"),
            (TestTokens.standard() + ["--service-account", "account.json"], "expected file:PATH or env:NAME"),
        ]
        for entry in table {
            let run = try scratch.run(entry.arguments)
            #expect(run.status == 64, "\(entry.arguments): \(run.errors)\(run.output)")
            #expect(run.errors.contains(entry.sentence), "\(entry.sentence) is not in \(run.errors)")
        }
        let secret = Data(TestTokens.keys.decryptionKey).base64EncodedString()
        let typed = try scratch.run(classic + digest + ["--decryption-key", secret, "--verification-key", "file:v"])
        #expect(typed.status == 64)
        #expect(typed.errors.contains("--decryption-key: expected file:PATH or env:NAME"), "\(typed.errors)")
        #expect(!typed.errors.contains(secret))
    }
}
