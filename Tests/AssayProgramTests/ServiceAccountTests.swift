import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("assay verify, standard tokens decoded by Google")
struct ServiceAccountTests {
    private static let python = "/usr/bin/python3"

    /// Issues an access token and decodes a token, both without checks.
    private static let server = """
        import http.server, json, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                grant = {"access_token": "ya29.test", "expires_in": 3600, "token_type": "Bearer"}
                body = json.dumps(grant).encode() if self.path == "/token" else open("answer.json", "rb").read()
                expected = [f"/v1/{sys.argv[1]}:decodeIntegrityToken", f"/v1/{sys.argv[1]}/deviceRecall:write"]
                self.send_response(200 if self.path in ["/token"] + expected else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def log_message(self, *arguments): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    /// Writes `account.json` with a new key, and a placeholder token: only Google can decrypt a standard token.
    private func prepare(_ scratch: Scratch, port: String) throws {
        try scratch.writeStandardAnswer()
        try scratch.write("token.txt", Data("bm90IGEgdG9rZW4\n".utf8))
        let key = try scratch.shell("openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 2>/dev/null").output
        let account = [
            "type": "service_account", "client_email": "assay@test-project.iam.gserviceaccount.com",
            "private_key_id": "0123", "private_key": key, "token_uri": "http://127.0.0.1:\(port)/token",
        ]
        let text = String(decoding: try JSONSerialization.data(withJSONObject: account), as: UTF8.self)
        try scratch.writeSecret("account.json", text)
    }

    /// Writes a record with Google's answer, and policies with different values of `answers`.
    private func records(_ scratch: Scratch) throws {
        let evidence: [String: Any] = [
            "packageName": TestTokens.packageName, "requestHash": TestTokens.requestHash,
            "decoded": try JSONSerialization.jsonObject(with: Data(TestTokens.standardAnswer())),
        ]
        let record: [String: Any] = ["id": "answer", "kind": "play-integrity.standard", "evidence": evidence]
        try scratch.write("records.json", JSONSerialization.data(withJSONObject: record))
        for (name, field) in [("plain", ""), ("google", "answers: google"), ("caller", "answers: caller")] {
            let policy = """
                version: 1
                apps:
                  - name: shop
                    playIntegrity:
                      packageName: \(TestTokens.packageName)
                      certificateDigests: ["\(TestTokens.hexDigest)"]
                      \(field)
                """
            try scratch.write("\(name).yaml", Data(policy.utf8))
        }
    }

    private func command(port: String) -> [String] {
        TestTokens.standardToken("token.txt") + [
            "--service-account", "file:account.json", "--google-url", "http://127.0.0.1:\(port)",
        ]
    }

    @Test(
        "A token is sent to the server, and the answer is judged",
        .enabled(if: FileManager.default.isExecutableFile(atPath: python), "needs \(python)"),
        .timeLimit(.minutes(20)))
    func decoded() throws {
        let scratch = try Scratch()
        try scratch.write("server.py", Data(Self.server.utf8))
        let server = try LineProcess(
            URL(fileURLWithPath: Self.python), ["server.py", TestTokens.packageName], folder: scratch.folder,
            errors: .nullDevice)
        defer { server.kill() }
        let port = try server.readLine()
        try prepare(scratch, port: port)
        let run = try scratch.run(command(port: port))
        #expect(run.status == 0, "\(run.errors)\(run.output)")
        #expect(run.errors.contains("token.txt: read as a token, to be sent to Google"), "\(run.errors)")
        #expect(!(run.output + run.errors).contains("ya29.test"))
        // The contents of a file never decide that Google is not asked.
        try scratch.write("token.txt", Data(TestTokens.standardAnswer()))
        let answer = try scratch.run(command(port: port))
        #expect(answer.status == 64, "\(answer.errors)\(answer.output)")
        #expect(answer.errors.contains("token.txt: expected a token, found a JSON object"), "\(answer.errors)")
        #expect(answer.errors.contains("give --decoded"), "\(answer.errors)")
        let vouched = try scratch.run(command(port: port) + ["--decoded"])
        #expect(vouched.status == 64 && vouched.errors.contains("--decoded and --service-account exclude"))
        try records(scratch)
        let google = ["--service-account", "file:account.json", "--google-url", "http://127.0.0.1:\(port)"]
        let ledger = ["--ledger", "sqlite:l.sqlite", "--create-ledger"]
        for (policy, options, status) in [
            ("plain", google, 1), ("plain", google + ledger, 1), ("google", [], 1), ("caller", google, 0),
            ("plain", [], 0),
        ] as [(String, [String], Int32)] {
            let run = try scratch.run(["verify", "--policy", "\(policy).yaml", "records.json"] + options)
            #expect(run.status == status, "\(policy) \(options) \(run.errors)\(run.output)")
            guard status == 1 else { continue }
            #expect(run.output.contains("rejected because: play-integrity.decode:"), "\(run.output)")
            let text = run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(text.contains("answers: caller"), "\(run.output)")
        }
        try scratch.write("token.txt", Data("bm90IGEgdG9rZW4\n".utf8))
        let foreign = try scratch.run(command(port: port) + ["--package-name", "com.example.other"])
        #expect(foreign.status == 3, "\(foreign.errors)\(foreign.output)")
        try scratch.write("answer.json", Data(TestTokens.classicAnswer()))
        let classic = TestTokens.classicEvidence() + ["--certificate-digest", TestTokens.hexDigest]
        let byGoogle = try scratch.run(classic + google)
        #expect(byGoogle.status == 0, "\(byGoogle.errors)\(byGoogle.output)")
        let withKey = try scratch.run(classic + google + ["--decryption-key", "file:d"])
        #expect(
            withKey.status == 64 && withKey.errors.contains("--decryption-key is for tokens that this program opens"))
        try scratch.write("token.txt", Data(TestTokens.classicAnswer()))
        let given = try scratch.run(classic + ["--decoded"])
        #expect(given.status == 0, "\(given.errors)\(given.output)")
        let sniffed = try scratch.run(classic + google)
        #expect(sniffed.status == 64 && sniffed.errors.contains("give --decoded"), "\(sniffed.errors)")
        #expect(foreign.errors.contains("Google Play outage (unexpected-answer)"), "\(foreign.errors)")
        try scratch.write("token.txt", Data("bm90IGEgdG9rZW4\n".utf8))
        func write(_ package: String) throws -> Run {
            try scratch.run(
                ["playintegrity", "write", "token.txt", "--package-name", package, "--set", "bitFirst", "--yes"]
                    + google)
        }
        let written = try write(TestTokens.packageName)
        #expect(written.status == 0 && written.output.contains("bitFirst is set"), "\(written)")
        #expect(try write("com.example.other").status == 3)
    }

    @Test("An unreachable server is an outage; a missing or unreadable account is reported", .timeLimit(.minutes(20)))
    func outages() throws {
        let scratch = try Scratch()
        // The port of TCP's discard service, on which no process listens.
        try prepare(scratch, port: "9")
        let outage = try scratch.run(command(port: "9"))
        #expect(outage.status == 3, "\(outage.output)")
        #expect(outage.errors.contains("Google Play outage (unreachable)"), "\(outage.errors)")
        let without = try scratch.run(TestTokens.standardToken("token.txt"))
        #expect(without.status == 2)
        #expect(without.errors.contains("--service-account has it sent to Google"), "\(without.errors)")
        try scratch.writeSecret("account.json", "{}")
        let broken = try scratch.run(command(port: "9"))
        #expect(broken.status == 2)
        #expect(broken.errors.contains("--service-account: type: "), "\(broken.errors)")
    }
}
