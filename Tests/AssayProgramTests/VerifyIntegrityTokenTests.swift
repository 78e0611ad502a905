import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("assay verify, Play Integrity tokens")
struct VerifyIntegrityTokenTests {
    private static let keys = PlayIntegrityTestKeys(seed: "raw tokens", label: "app")
    private static let digest = [UInt8](repeating: 0x6A, count: 32)
    /// In base64url it begins with a hyphen, like one nonce in 64.
    private static let nonce = [0xFB] + [UInt8](repeating: 0x42, count: 23)
    private static let nonceText = "-0JCQkJCQkJCQkJCQkJCQkJCQkJCQkJC"
    private static let policy = """
        version: 1
        apps:
          - name: shop
            playIntegrity:
              packageName: com.example.shop
              certificateDigests: ["\(Data(digest).base64EncodedString())"]

        """

    private func scratch() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.writeSecret("d", Self.keys.decryptionKeyFile)
        try scratch.write("v", Data(Self.keys.verificationKeyFile.utf8))
        try scratch.write("policy.yaml", Data(Self.policy.utf8))
        let madeAt = try #require(ISO8601DateFormatter().date(from: "2026-05-01T12:00:00Z"))
        let token = ClassicTokenBlueprint(
            keys: Self.keys, packageName: "com.example.shop", nonce: Self.nonce, certificateDigests: [Self.digest],
            issuedAt: madeAt)
        try scratch.write("token.txt", Data("\(token.mint().token)\n".utf8))
        return scratch
    }

    private func verify(
        _ scratch: Scratch, nonce: String = nonceText, decryption: String = "file:d", verification: String = "file:v",
        at time: String = "2026-05-01T12:00:00Z"
    ) throws -> Run {
        let digest = Data(Self.digest).map { String($0, radix: 16) }.joined()
        return try scratch.assay(
            "verify", "--kind", "play-integrity.classic", "--package-name", "com.example.shop", "--nonce", nonce,
            "--certificate-digest", digest, "--decryption-key", decryption, "--verification-key", verification, "--at",
            time, "token.txt")
    }

    @Test("A token is opened with the keys of the options; its nonce may begin with a hyphen")
    func accepted() throws {
        let run = try verify(scratch())
        #expect(run.status == 0, "\(run.errors)\(run.output)")
        #expect(run.output.contains("nonce                     \(Self.nonceText)"), "\(run.output)")
    }

    @Test("For a token outside the window, the detail has the time difference and the limit")
    func freshness() throws {
        let table = [
            ("2026-05-01T12:05:00.500Z", "300.5 s after that; allowed are 300 s back"),
            ("2026-05-01T11:58:00Z", "120 s before that; allowed are 60 s ahead"),
        ]
        for (time, detail) in table {
            let run = try verify(scratch(), at: time)
            #expect(run.status == 1)
            let text = run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(text.contains(detail), "\(run.output)")
        }
    }

    @Test("An invalid key is reported with option and source, an invalid nonce with the character")
    func wrongOptions() throws {
        let scratch = try scratch()
        try scratch.writeSecret("short", Data(Self.digest.prefix(16)).base64EncodedString())
        let short = try verify(scratch, decryption: "file:short")
        #expect(short.status == 2)
        #expect(short.errors.contains("--decryption-key: short: expected an AES-256 key"), "\(short.errors)")
        #expect(short.errors.contains("which is an AES-128 key"))
        let swapped = try verify(scratch, verification: "file:d")
        #expect(swapped.status == 2)
        #expect(swapped.errors.contains("--verification-key: d: expected the base64"), "\(swapped.errors)")
        let nonce = try verify(scratch, nonce: "order 42 of the shop")
        #expect(nonce.status == 64)
        #expect(
            nonce.errors.contains("--nonce: a nonce is base64url or base64; character 6 is \" \""), "\(nonce.errors)")
        let mixed = try verify(scratch, nonce: "AAAAAAAAAAAAAA-/")
        #expect(mixed.status == 64 && mixed.errors.contains("both alphabets in one"), "\(mixed.errors)")
    }

    @Test("A token in place of records is recognised, unlike other text that is not JSON")
    func tokenForRecord() throws {
        let scratch = try scratch()
        let token = try scratch.assay("verify", "--policy", "policy.yaml", "token.txt")
        #expect(token.status == 2)
        #expect(token.errors.contains("give --kind play-integrity.classic"), "\(token.errors)")
        try scratch.write("opaque.txt", Data("eyJhbGciOiJub25lIn0".utf8))
        let opaque = try scratch.assay("verify", "--policy", "policy.yaml", "opaque.txt")
        #expect(opaque.errors.contains("it looks like a token, and one without a record needs --kind"))
        try scratch.write("text", Data("hello".utf8))
        let text = try scratch.assay("verify", "--policy", "policy.yaml", "text")
        #expect(text.status == 2 && !text.errors.contains("--kind"), "\(text.errors)")
    }

    private func standardRecords(_ scratch: Scratch) throws {
        let evidence = #"{"packageName":"com.example.shop","requestHash":"h","token":"abcdefghijklmnop"}"#
        let lines = ["s1", "s2"].map { #"{"id":"\#($0)","kind":"play-integrity.standard","evidence":\#(evidence)}"# }
        try scratch.write("records.json", Data(lines.joined(separator: "\n").utf8))
    }

    @Test("A standard token without a service account names that option; a classic one without a key the store")
    func advice() throws {
        let scratch = try scratch()
        try standardRecords(scratch)
        let standard = try scratch.assay("verify", "--policy", "policy.yaml", "records.json")
        #expect(standard.status == 2 && standard.errors.contains("--service-account"), "\(standard.errors)")
        let classic = try scratch.assay(
            "verify", "--policy", "policy.yaml", "--kind", "play-integrity.classic", "--package-name",
            "com.example.shop", "--nonce", Self.nonceText, "token.txt")
        #expect(classic.status == 2)
        #expect(classic.errors.contains("keys of a key store count with --ledger and its master key"))
    }

    @Test("When Google cannot be reached, standard error says what failed and which records are not judged")
    func outage() throws {
        let scratch = try scratch()
        try standardRecords(scratch)
        let made = try scratch.shell("umask 077; openssl genpkey -algorithm RSA -out key.pem 2>/dev/null")
        try #require(made.status == 0)
        let account = [
            "type": "service_account", "client_email": "assay@example.iam.gserviceaccount.com", "private_key_id": "1",
            "private_key": try String(contentsOfFile: scratch.path("key.pem"), encoding: .utf8),
            "token_uri": "http://127.0.0.1:1/token",
        ]
        try scratch.writeSecret(
            "account.json", String(decoding: JSONSerialization.data(withJSONObject: account), as: UTF8.self))
        let run = try scratch.assay(
            "verify", "--policy", "policy.yaml", "--service-account", "file:account.json", "--google-url",
            "http://127.0.0.1:1", "records.json")
        #expect(run.status == 3, "\(run.errors)\(run.output)")
        #expect(run.errors.contains("no connection: Connection refused (4 attempts)"), "\(run.errors)")
        #expect(run.errors.contains("records.json: record s1 and what follows are not judged"), "\(run.errors)")
        #expect(run.output.isEmpty)
    }
}
