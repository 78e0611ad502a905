import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

/// What Docs/from-approov.md promises: a backend by Approov's manual takes the tokens of both issuers.
@Suite("The page for those who come from Approov's cloud", .timeLimit(.minutes(30)))
struct FromApproovPageTests {
    private static let python = ProcessInfo.processInfo.environment["ASSAY_PEERS"] ?? ""
    private static let session = "Bearer eyJ.user.token"
    private static let audience = "https://api.example.com"

    /// The block of the page in a language; its last line ends.
    private static func block(_ language: String) throws -> String {
        let file = TestVectors.folder.deletingLastPathComponent().appendingPathComponent("Docs/from-approov.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let rest = try #require(page.components(separatedBy: "```\(language)\n").dropFirst().first)
        return try #require(rest.components(separatedBy: "```").first)
    }

    private static func run(_ script: String, in folder: TestFolder) throws {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let program = try BuiltProducts.url("assay").deletingLastPathComponent().path
        let run = try ProgramRun(
            "/bin/bash", ["-ec", script], in: folder.url,
            environment: ["HOME": folder.url.path, "PATH": "\(program):\(path)"])
        try #require(run.status == 0, "\(run.text)")
    }

    @Test(
        "the policy and the keys of the page issue tokens that the manual's recipe accepts beside those of the cloud",
        .enabled(if: FileManager.default.isExecutableFile(atPath: python), "needs ASSAY_PEERS"))
    func bothIssuers() throws {
        let pay = Base64.encode(Digest.sha256(Array(Self.session.utf8)), .standard)
        let service = try RunningService("masterKey=file:master.key") { folder in
            // A test device stands for the phone, which needs no key of its own for a token of this format.
            try folder.write(
                "policy.yaml",
                try Self.block("yaml")
                    .replacing("clientData: raw", with: "clientData: raw\n      testRoots: [\"file:device-root.pem\"]")
                    .replacing(
                        "format: approov", with: "format: approov\n      testAuthorities: allow\n      key: optional"))
            let record = """
                assay mint app-attest device device.json --root device-root.pem
                CHALLENGE=$(assay challenge issue --app shop-ios --kind app-attest.attestation --ledger sqlite:ledger.sqlite)
                D=$(printf 'assay-token\\n%s\\n%s\\n%s\\n%s\\n' "$CHALLENGE" \(Self.audience) "" \(pay) \\
                    | openssl dgst -sha256 -binary | base64 | tr '+/' '-_' | tr -d '=')
                assay mint app-attest attestation --device device.json --app shop-ios \\
                    --app-id 1234567890.com.example.shop --challenge "$D" >record.json
                printf %s "$CHALLENGE" >challenge
                """
            try Self.run(try Self.block("sh") + record, in: folder)
        }
        try service.waitUntil("keys made") { service.entries("token key made").count == 2 }
        let folder = service.folder
        let answer = try service.send(
            "POST", "/v1/tokens",
            body: #"{"record":\#(folder.read("record.json")),"challenge":"\#(folder.read("challenge"))","#
                + #""audience":"\#(Self.audience)","pay":"\#(pay)"}"#)
        #expect(answer.status == 201 && answer.json["tokenType"] as? String == "Approov-Token", "\(answer)")
        let own = try #require(answer.json["token"] as? String)
        let cloud = folder.read("cloud.txt").trimmingCharacters(in: .whitespacesAndNewlines)
        // Under another secret, as the cloud signs for apps that fail.
        try Self.run("assay mint approov token --new-secret other.b64 >foreign.txt", in: folder)
        let foreign = folder.read("foreign.txt").trimmingCharacters(in: .whitespacesAndNewlines)
        let cases = [
            (own, Self.session, true), (cloud, Self.session, true), (own, "Bearer other", false),
            (cloud, "Bearer other", false), (foreign, Self.session, false),
            (String(own.dropLast(4)), Self.session, false),
            ("", Self.session, false), ("NO_NETWORK", Self.session, false),
        ]
        try folder.write("recipe.py", try Self.block("python"))
        let calls = cases.map { "print(is_genuine('\($0.0)', '\($0.1)'))" }.joined(separator: "\n")
        let run = try ProgramRun(
            Self.python, ["-c", "from recipe import is_genuine\n\(calls)\n"], in: folder.url,
            environment: [
                "APPROOV_SECRET": folder.read("secret.b64").trimmingCharacters(in: .whitespacesAndNewlines),
                "PYTHONPATH": folder.url.path,
            ])
        #expect(run.status == 0, "\(run.text)")
        #expect(run.output.split(separator: "\n").map { $0 == "True" } == cases.map(\.2), "\(run.output)")
        // Assay itself takes both, too.
        let verdicts = try service.send(
            "POST", "/v1/verify",
            body: #"{"kind":"approov.token","app":"api","evidence":{"token":"\#(own)","binding":["\#(Self.session)"]}}"#
        )
        #expect(verdicts.body.contains(#""outcome":"accept""#), "\(verdicts)")
    }
}
