import AssayHTTPTestSupport
import AssayTestSupport
import AssayTesting
import Foundation
import Synchronization
import Testing

/// The list of revoked certificates that the service fetches, for policies with `statusList: service`.
@Suite("The status list of a service")
struct StatusListTests {
    static let record = Result {
        try AndroidKeyTestAuthority(seed: "status list", notBefore: Evidence.time.addingTimeInterval(-86_400 * 400))
    }.flatMap { authority in
        Result {
            let record = try AndroidKeyAttestationBlueprint(
                authority: authority, key: AndroidAttestedKey(.p256, seed: "status list", label: "device"),
                packageName: "com.example.shop", certificateDigest: [UInt8](repeating: 7, count: 32),
                challenge: Array("challenge".utf8), issuedAt: Evidence.time
            ).mint().record(id: "device")
            return (root: try authority.rootPEM, json: record.json)
        }
    }

    /// An app whose policy wants the list, and whose root is in `android.pem`.
    static let app = """
          - name: phones
            androidKey:
              packages: [com.example.shop]
              certificateDigests: ["\(String(repeating: "07", count: 32))"]
              challenge: caller
              statusList: service
              testRoots: ["file:android.pem"]

        """

    /// Starts a service whose list is at the URL of a server.
    private static func start(_ server: ScriptedServer) throws -> RunningService {
        let root = try record.get().root
        return try RunningService("statusListURL=\(server.url)/attestation/status") { folder in
            try folder.write("android.pem", root)
            try folder.write(
                "policy.yaml",
                """
                version: 1
                apps:
                \(app)
                """)
        }
    }

    static func list(_ serial: String) -> String {
        #"{"entries":{"\#(serial)":{"status":"SUSPENDED","reason":"SOFTWARE_FLAW"}}}"#
    }

    @Test(
        "A list is fetched once and kept in the ledger; a listed certificate is rejected; without a list there is no verdict"
    )
    func fetched() async throws {
        let server = try await ScriptedServer()
        let asked = AskedPaths()
        func publish(_ list: String) {
            server.respond { request in
                asked.add(request.path)
                return .answer(200, list, fields: ["Cache-Control": "max-age=3600"])
            }
        }
        let json = try Self.record.get().json
        publish(Self.list("abcdef0123456789"))
        let first = try Self.start(server)
        let accepted = try first.send("POST", "/v1/verify", body: json)
        #expect(accepted.status == 200 && accepted.json["outcome"] as? String == "accept", "\(accepted)")
        _ = try first.send("POST", "/v1/verify", body: json)
        #expect(asked.all == ["/attestation/status"])
        let subject = try #require(accepted.json["subject"] as? [String: Any])
        let serials = try #require(subject["serials"] as? [String], "\(subject)")

        publish(Self.list(try #require(serials.dropFirst().first)))
        let rejected = try Self.start(server).send("POST", "/v1/verify", body: json)
        #expect(rejected.json["outcome"] as? String == "reject", "\(rejected)")
        #expect(rejected.json["failed"] as? [String] == ["android-key.attestation.revocation"], "\(rejected)")

        publish("<html>Sign in</html>")
        let outage = try Self.start(server).send("POST", "/v1/verify", body: json)
        #expect(outage.status == 503 && outage.json["outcome"] == nil, "\(outage)")
        let plain = try first.assay(
            "serve", "--create-ledger", "--policy", first.folder.path("policy.yaml"), "--ledger",
            "sqlite:\(first.folder.path("ledger.sqlite"))",
            "--open", "--set", "listen=127.0.0.1:0", "--set", "statusListURL=http://example.com/status")
        #expect(plain.status == 2, "only a server of this machine may be asked without TLS: \(plain)")
        try await server.close()
    }

    @Test("Services of one ledger with lists at different URLs judge each by its own list, whichever has fetched first")
    func origins() async throws {
        let server = try await ScriptedServer()
        let json = try Self.record.get().json
        let serials = Mutex<[String]>([])
        server.respond { request in
            // The wrong list is the longer one.
            let listed =
                request.path == "/true" ? serials.withLock { $0 } : (1...12).map { "abcdef\(String($0, radix: 16))" }
            let entries = listed.map { #""\#($0)":{"status":"REVOKED","reason":"KEY_COMPROMISE"}"# }
            return .answer(
                200, #"{"entries":{\#(entries.joined(separator: ","))}}"#, fields: ["Cache-Control": "max-age=3600"])
        }
        let root = try Self.record.get().root
        func start(_ path: String, ledger: String? = nil) throws -> RunningService {
            try RunningService(["statusListURL=\(server.url)\(path)"], ledger: ledger) { folder in
                try folder.write("android.pem", root)
                try folder.write("policy.yaml", "version: 1\napps:\n\(Self.app)")
            }
        }
        let wrong = try start("/wrong")
        let accepted = try wrong.send("POST", "/v1/verify", body: json)
        let subject = try #require(accepted.json["subject"] as? [String: Any], "\(accepted)")
        let found = try #require(subject["serials"] as? [String], "\(subject)")
        serials.withLock { $0 = Array(found.dropFirst().dropLast()) }
        let right = try start("/true", ledger: "sqlite:\(wrong.folder.path("ledger.sqlite"))")
        for _ in 0..<2 {
            let rejected = try right.send("POST", "/v1/verify", body: json)
            #expect(rejected.json["failed"] as? [String] == ["android-key.attestation.revocation"], "\(rejected)")
            let other = try wrong.send("POST", "/v1/verify", body: json)
            #expect(other.json["failed"] as? [String] != ["android-key.attestation.revocation"], "\(other)")
        }
        try await server.close()
    }
}

/// Paths of requests.
private final class AskedPaths: Sendable {
    private let paths = Mutex<[String]>([])
    var all: [String] { paths.withLock { $0 } }
    func add(_ path: String) { paths.withLock { $0.append(path) } }
}
