import AssayTestSupport
import Foundation
import Testing

/// The blocks of Docs/tokens.md that need a service.
@Suite("Blocks of the page on tokens", .timeLimit(.minutes(30)))
struct TokenPageTests {
    /// The first block in a language after a text of the page.
    private static func block(_ language: String, after text: String) throws -> String {
        let file = TestVectors.folder.deletingLastPathComponent().appendingPathComponent("Docs/tokens.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let rest = try #require(page.components(separatedBy: text).dropFirst().first)
        let block = try #require(rest.components(separatedBy: "```\(language)\n").dropFirst().first)
        return try #require(block.components(separatedBy: "```").first)
    }

    /// The variables of a shell that finds `assay`.
    private static func environment(_ folder: TestFolder) throws -> [String: String] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return [
            "HOME": folder.url.path,
            "PATH": "\(try BuiltProducts.url("assay").deletingLastPathComponent().path):\(path)",
        ]
    }

    private static func run(_ script: String, in folder: TestFolder) throws {
        let run = try ProgramRun("/bin/bash", ["-ec", script], in: folder.url, environment: environment(folder))
        try #require(run.status == 0, "\(run.text)")
    }

    private static let masterKey = "(umask 077; openssl rand -base64 32 >master.key)\n"

    @Test("The record of the block with a test device gives a bearer token, under the policy that the page describes")
    func testDevice() throws {
        let service = try RunningService("masterKey=file:master.key") { folder in
            let policy = try Self.block("yaml", after: "## The way of a token")
                .replacing("clientData: raw", with: "clientData: raw\n      testRoots: [\"file:device-root.pem\"]")
                .replacing("# key: optional", with: "key: optional")
                .replacing("# testAuthorities: allow", with: "testAuthorities: allow")
            try folder.write("policy.yaml", policy)
            let block = try Self.block("sh", after: "With a test device")
            try Self.run(Self.masterKey + block + "printf %s \"$CHALLENGE\" >challenge\n", in: folder)
        }
        try service.waitUntil("keys made") { service.entries("token key made").count == 2 }
        let (record, challenge) = (service.folder.read("record.json"), service.folder.read("challenge"))
        let answer = try service.send(
            "POST", "/v1/tokens",
            body: #"{"record":\#(record),"challenge":"\#(challenge)","audience":"\#(TokenTests.audience)"}"#)
        #expect(answer.status == 201 && answer.json["tokenType"] as? String == "Bearer", "\(answer)")
    }

    @Test("The block about failover starts an instance that gives a caller tokens when the first one does not answer")
    func failover() throws {
        let folder = try TestFolder()
        let policy = try Self.block("yaml", after: "## The way of a token")
        try folder.write("policy.yaml", policy + "      format: approov\n      failover: issue\n")
        try Self.run(
            Self.masterKey
                + """
                (umask 077; openssl rand -base64 64 | tr -d '\\n' >secret.b64)
                assay keys add account --use approov-issuer --secret file:secret.b64 --ledger sqlite:ledger.sqlite \\
                    --master-key file:master.key
                """, in: folder)
        // No program listens on port 1.
        let block = try Self.block("console", after: "## Failover")
            .replacing("https://attest.example.com", with: "https://127.0.0.1:1")
            .replacing(
                "assay serve",
                with: "exec assay serve --set listen=unix:public.sock --set admin=none --set failover.interval=1s")
        let errors = folder.path("errors")
        try folder.write("errors", "")
        let instance = try LineProcess(
            URL(fileURLWithPath: "/bin/bash"), ["-ec", block],
            environment: Self.environment(folder).merging(Sanitizer.environment) { $1 }, folder: folder.url,
            errors: FileHandle(forWritingTo: URL(fileURLWithPath: errors)))
        let token = try instance.readLine()
        let body =
            #"{"record":{"kind":"app-attest.attestation","app":"shop","evidence":{"keyId":"AA==","attestation":"AA=="}}"#
            + #","challenge":"\#(String(repeating: "A", count: 43))","audience":"\#(TokenTests.audience)"}"#
        let answer = try waitFor("a token: \(folder.read("errors"))") { () -> HTTPAnswer? in
            try #require(instance.isRunning, "\(folder.read("errors"))")
            guard let connection = Connection(ifListeningOn: folder.path("public.sock")) else { return nil }
            connection.write(
                "POST /v1/tokens HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
                    + "Authorization: Bearer \(token)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            let answer = HTTPAnswer(connection.readToEnd())
            return answer.json["code"] as? String == "primary-reachable" ? nil : answer
        }
        #expect(answer.status == 201 && answer.json["tokenType"] as? String == "Approov-Token", "\(answer)")
    }
}
