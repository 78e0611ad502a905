import AssayCore
import AssayHTTPTestSupport
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// Apple's services at another server, so that bans are tested with a running service.
@Suite("Apple's services of a service")
struct AppleServicesTests {
    private static let appID = "1234567890.com.example.shop"
    private static let challenge = Array("challenge".utf8)
    private static let key = AttestedKey(seed: "bans", label: "device")

    /// A server that answers as Apple's do, below a path of its own.
    private static func server(_ standIn: TestAppleServices) async throws -> ScriptedServer {
        let server = try await ScriptedServer()
        server.respond { request in
            let answer = standIn.answer(
                to: .init(
                    path: String(request.path.dropFirst("/apple".count)),
                    authorization: request.fields["authorization"],
                    body: request.body, isDevelopment: false, time: Date()))
            return .answer(answer.status, answer.body)
        }
        return server
    }

    @Test(
        "A ban of an account sets the bit of its device, and lifting it clears the bit, also where evidence names no account"
    )
    func bans() async throws {
        let authority = try TestAuthority(seed: "bans", notBefore: Date().addingTimeInterval(-86_400))
        let account = TestKey(.p256, seed: "bans", label: "account")
        let standIn = TestAppleServices(
            authority: authority, teamID: "1234567890", keyID: "ABC123DEFG", publicPoint: account.publicPoint)
        let server = try await Self.server(standIn)
        let service = try RunningService("deviceCheckURL=\(server.url)/apple", "appAttestURL=\(server.url)/apple") {
            folder in
            try folder.write("root.pem", authority.rootPEM)
            try folder.write("apple.p8", account.pem)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: folder.path("apple.p8"))
            try folder.write(
                "policy.yaml",
                """
                version: 1
                keys:
                  - { name: apple, use: apple-services, privateKey: "file:apple.p8", keyID: ABC123DEFG, teamID: "1234567890" }
                apps:
                  - name: shop
                    appAttest:
                      appIDs: [\(Self.appID)]
                      environments: [production]
                      challenge: caller
                      clientData: raw
                      testRoots: ["file:root.pem"]
                    deviceCheck:
                      appID: \(Self.appID)
                      bits: bit0
                      blocks: ban
                      required: [app-attest.attestation, app-attest.assertion]
                """)
        }
        var tokens: [[UInt8]] = []
        func send(_ record: EvidenceRecord, account: String? = nil) throws -> HTTPAnswer {
            let token = Array("token \(tokens.count)".utf8)
            standIn.addDevice(token: token, of: tokens.first)
            tokens.append(token)
            var record = record
            record.account = account
            record.deviceToken = Base64.encode(token, .standard)
            return try service.send("POST", "/v1/verify", body: record.jsonLine)
        }
        func assertion(_ counter: UInt32) throws -> EvidenceRecord {
            try AssertionBlueprint(
                key: Self.key, appID: Self.appID, counter: counter, clientData: .bytes(Self.challenge)
            ).mint().record(id: "assertion", receivedAt: Date(), challenge: Self.challenge)
        }
        func isBanned() throws -> Bool {
            let token = try #require(tokens.first)
            return try #require(standIn.bits(ofDevice: token)).first
        }
        let ledger = ["--ledger", "sqlite:\(service.folder.path("ledger.sqlite"))", "--yes", "--reason", "test"]

        let minted = try AttestationBlueprint(
            authority: authority, key: Self.key, appID: Self.appID, clientData: .bytes(Self.challenge), issuedAt: Date()
        ).mint()
        let enrolled = try send(minted.record(id: "attestation"), account: "mallory")
        #expect(enrolled.json["outcome"] as? String == "accept", "\(enrolled)")
        #expect(try service.run(["devicecheck", "ban", "--account", "mallory"] + ledger).status == 0)
        let banned = try send(assertion(1))
        #expect(banned.json["outcome"] as? String == "reject", "\(banned)")
        #expect(try isBanned())
        // Without the block, the bit alone rejects.
        #expect(
            try service.run(["ledger", "unblock", "--account", "mallory"] + ledger.dropLast(2)).status == 0)
        let still = try send(assertion(2))
        #expect(still.json["failed"] as? [String] == ["device-check.ban"], "\(still)")
        #expect(try service.run(["devicecheck", "unban", "--account", "mallory"] + ledger).status == 0)
        let lifted = try send(assertion(3))
        #expect(lifted.json["outcome"] as? String == "accept", "\(lifted)")
        #expect(try !isBanned())
        try await server.close()
    }

    @Test("A URL of Apple's services is https, or of this machine", arguments: ["deviceCheckURL", "appAttestURL"])
    func urls(key: String) throws {
        let service = try RunningService()
        let started = try service.assay(
            "serve", "--policy", service.folder.path("policy.yaml"), "--ledger",
            "sqlite:\(service.folder.path("ledger.sqlite"))", "--open", "--set", "listen=127.0.0.1:0", "--set",
            "\(key)=http://example.com/apple")
        #expect(started.status == 2 && started.errors.contains(key), "\(started)")
    }
}
