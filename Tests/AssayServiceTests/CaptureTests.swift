import Assay
import AssayCore
import AssayPrimitives
import AssayService
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// The service captures what it judges, sealed, and never at the expense of a verdict.
@Suite("Captures of the service", .timeLimit(.minutes(30)))
struct CaptureTests {
    private static let settings = ["capture.folder=captures", "capture.key=public.key", "capture.share=100%"]

    private static func write(_ key: CapturePrivateKey, to folder: TestFolder) throws {
        try folder.write("public.key", key.publicKey.text + "\n")
        try folder.write("private.key", key.text.withUnsafeBytes { Array($0) })
        try #require(chmod(folder.path("private.key"), 0o600) == 0)
    }

    private static func captured(_ service: RunningService) throws -> String {
        let folder = service.folder.path("captures")
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map {
            try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)
        }.joined()
    }

    @Test("Records of every way are sealed, written before the end, and give the same verdicts again")
    func replayed() throws {
        let key = try CapturePrivateKey.make()
        let service = try RunningService(
            ["authorize.dialect=nginx", "authorize.peers=127.0.0.1", "authorize.origins=\(GuardedService.origin)"]
                + Self.settings
        ) { folder in
            try GuardedService.writePolicy(to: folder)
            try Self.write(key, to: folder)
        }
        let attestation = try Evidence.attestation("first")
        for record in [attestation, try Evidence.assertion("second", counter: 1)] {
            #expect(try service.send("POST", "/v1/verify", body: record).json["outcome"] as? String == "accept")
        }
        let stream = try Evidence.assertion("third", counter: 1) + "\n"
        let streamed = try service.send("POST", "/v1/verify", type: "application/x-ndjson", body: stream)
        #expect(streamed.body.contains(#""outcome":"reject""#), "\(streamed)")
        func ask(_ app: String, _ fields: [String]) throws -> Int {
            try service.send(
                "GET", "/v1/authorize/\(app)", type: nil,
                fields: [
                    "X-Original-Method: GET", "X-Original-URI: /orders?a=1", "X-Original-Host: api.example.com",
                    "X-Original-Body: none",
                ] + fields
            ).status
        }
        let signed = try GuardedService.signed("GET", "/orders?a=1", counter: 2)
        #expect(try ask("shop", signed) == 200)
        #expect(try ask("shop", signed) != 200)
        let token = try GuardedService.token(authorization: "Bearer session")
        #expect(try ask("api", ["Approov-Token: \(token)", "Authorization: Bearer session"]) == 200)
        #expect(try ask("api", ["Approov-Token: \(token)", "Authorization: Bearer other"]) == 401)
        service.signal(SIGTERM)
        #expect(service.wait() == 0, "\(service.logText)")

        let text = try Self.captured(service)
        for secret in [token, "Bearer session", Base64.encode(Evidence.key.keyID, .standard)] {
            #expect(!text.contains(secret))
        }
        #expect(text.hasSuffix("{\"sealedRecords\":7}\n"), "\(text.suffix(100))")
        let replay = try service.assay(
            "replay", service.folder.path("captures"), "--policy", service.folder.path("policy.yaml"),
            "--capture-key", "file:\(service.folder.path("private.key"))", "--json")
        let outcomes = replay.output.split(separator: "\n").compactMap { line in
            (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["outcome"] as? String
        }
        #expect(
            outcomes == ["accept", "accept", "reject", "accept", "reject", "accept", "reject"],
            "\(replay.output) \(replay.errors)")
    }

    @Test("A folder that is lost costs no verdict, and is reported once; so is its return")
    func lostFolder() throws {
        let service = try RunningService(Self.settings) { folder in
            try Self.write(CapturePrivateKey.make(), to: folder)
        }
        let folder = service.folder.path("captures")
        func verify(_ number: Int) throws {
            let answer = try service.send("POST", "/v1/verify", body: Evidence.attestation("\(number)"))
            #expect(answer.json["outcome"] as? String != nil, "\(answer)")
        }
        func waitForRecords(_ result: String, _ number: Int) throws {
            let line = #"assay_capture_records_total{result="\#(result)"} \#(number)"#
            try service.waitUntil(line) {
                let answer = try? service.send(
                    "GET", "/metrics", type: nil, unix: service.folder.path("admin.sock"))
                return answer?.body.contains(line + "\n") ?? false
            }
        }
        try FileManager.default.removeItem(atPath: folder)
        try service.folder.write("captures", "a file")
        for number in 1...3 { try verify(number) }
        try waitForRecords("failed", 3)
        #expect(service.entries("evidence cannot be captured").count == 1)
        try FileManager.default.removeItem(atPath: folder)
        try verify(4)
        try waitForRecords("written", 1)
        try service.waitUntil("again") { service.entries("evidence is captured again").count == 1 }
        let captured = try Self.captured(service)
        #expect(captured.contains("\"sealed\""))
        #expect(!captured.contains(Base64.encode(Evidence.key.keyID, .standard)))
    }

    @Test("What captures need is demanded at the start")
    func mistakes() throws {
        let folder = try TestFolder()
        try Evidence.writePolicy(to: folder)
        try Self.write(CapturePrivateKey.make(), to: folder)
        try folder.write("file", "x")
        func check(_ settings: [String: String]) throws {
            let all = ["policy": folder.path("policy.yaml")].merging(settings) { $1 }
            _ = try HTTPService.check(
                ServiceConfiguration(file: nil, environment: [:], settings: all.map { (key: $0.key, value: $0.value) }))
        }
        let (key, captures) = (folder.path("public.key"), folder.path("captures"))
        try check(["capture.folder": captures, "capture.key": key])
        let cases: [([String: String], field: String, words: String)] = [
            (["capture.folder": captures], "capture.key", "required: captures are sealed"),
            (["capture.key": key], "capture.folder", "required: captures are sealed"),
            (["capture.folder": captures, "capture.key": folder.path("private.key")], "capture.key", "a private key"),
            (["capture.folder": captures, "capture.key": folder.path("none")], "capture.key", "it does not exist"),
            (["capture.folder": folder.path("file"), "capture.key": key], "capture.folder", folder.path("file")),
            (["capture.share": "0%"], "capture.share", "above 0%"), (["capture.share": "0.1"], "capture.share", "1%"),
            (["capture.kinds": "app-attest.assertions"], "capture.kinds", "app-attest.assertion"),
            (["capture.maximumSize": "1MiB"], "capture.maximumSize", "64MiB"),
            (["capture.keepFor": "0s"], "capture.keepFor", "more than none"),
        ]
        for (settings, field, words) in cases {
            let error = #expect(throws: PolicyError.self, "\(settings)") { try check(settings) }
            #expect(error?.field == field && error?.message.contains(words) == true, "\(settings): \(error as Any)")
        }
        let service = try ServiceConfiguration(
            file: folder.write(
                "serve.yaml",
                """
                policy: policy.yaml
                capture:
                  folder: /captures
                  key: /public.key
                  share: 0.5%
                  kinds: [app-attest.assertion, approov.token]
                  maximumSize: 2048MiB
                  keepFor: 14d

                """), environment: ["ASSAY_CAPTURE_KEEP_FOR": "7d"], settings: [])
        #expect(
            service.capture.share == 0.005
                && service.capture.kinds.map(\.name) == ["app-attest.assertion", "approov.token"])
        #expect(service.capture.maximumSize == 2 << 30 && service.capture.keepFor == 7 * 86_400)
    }
}
