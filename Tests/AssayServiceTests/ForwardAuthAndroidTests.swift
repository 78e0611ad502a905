import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// Forward auth for requests that attested keys of Android sign.
@Suite("Forward auth for keys of Android")
struct ForwardAuthAndroidTests {
    private static let digest = [UInt8](repeating: 7, count: 32)

    /// A service with the app `android`, and the key of a device that is enrolled in its ledger.
    private static func start(_ key: AndroidAttestedKey) throws -> RunningService {
        let authority = try AndroidKeyTestAuthority(
            seed: "forward auth", notBefore: Evidence.time.addingTimeInterval(-86_400 * 400))
        let service = try RunningService(
            [
                "authorize.dialect=nginx", "authorize.peers=127.0.0.1",
                "authorize.origins=\(GuardedService.origin)",
            ], isOpen: false
        ) { folder in
            try folder.write("android.pem", authority.rootPEM)
            try folder.write(
                "policy.yaml",
                """
                version: 1
                apps:
                  - name: android
                    androidKey:
                      packages: [com.example.shop]
                      certificateDigests: ["\(String(repeating: "07", count: 32))"]
                      challenge: caller
                      statusList: none
                      requests: {}
                      testRoots: ["file:android.pem"]

                """)
        }
        let record = try AndroidKeyAttestationBlueprint(
            authority: authority, key: key, packageName: "com.example.shop", certificateDigest: digest,
            challenge: Array("challenge".utf8), issuedAt: Evidence.time
        ).mint().record(id: "enrol")
        try service.folder.write("record.json", record.json)
        let result = try service.assay(
            "verify", "--policy", service.folder.path("policy.yaml"), "--ledger",
            "sqlite:\(service.folder.path("ledger.sqlite"))", "--account", "alice", service.folder.path("record.json"))
        try #require(result.status == 0, "\(result.output)")
        return service
    }

    @Test("A request that the enrolled key signed passes once, with its key and account; a blocked key passes no more")
    func requests() throws {
        let key = try AndroidAttestedKey(.p256, seed: "forward auth", label: "device")
        let service = try Self.start(key)
        func fields(_ target: String) throws -> [String] {
            let blueprint = SignedRequestBlueprint(
                method: "GET", targetURI: GuardedService.origin + target, evidence: .androidKey(key), createdAt: Date())
            return try blueprint.mint().headers.map { "\($0.name): \($0.value)" }
        }
        func ask(_ target: String, _ fields: [String]) throws -> HTTPAnswer {
            try service.send(
                "GET", "/v1/authorize/android", type: nil,
                fields: [
                    "X-Original-Method: GET", "X-Original-URI: \(target)", "X-Original-Host: api.example.com",
                    "X-Original-Body: none",
                ] + fields)
        }
        let signed = try fields("/orders?a=1")
        #expect(try ask("/orders?a=2", signed).status == 401)
        #expect(try ask("/orders?a=1", []).status == 401)
        let passed = try ask("/orders?a=1", signed)
        let keyID = Base64.encode(key.keyID, .standard)
        #expect(passed.status == 200, "\(passed)")
        #expect(passed["assay-kind"] == "android-key.request" && passed["assay-app"] == "android")
        #expect(passed["assay-subject"] == keyID && passed["assay-account"] == "alice", "\(passed)")
        #expect(try ask("/orders?a=1", signed).status == 401, "a replay")
        let result = try service.assay(
            "ledger", "block", "--key-id", keyID, "--reason", "stolen", "--ledger",
            "sqlite:\(service.folder.path("ledger.sqlite"))")
        try #require(result.status == 0, "\(result.output)")
        #expect(try ask("/orders?a=3", fields("/orders?a=3")).status == 403, "a blocked key")
        let log = try #require(service.entries("request").last { $0["assay.outcome"] as? String == "reject" })
        #expect(log["assay.failed"] as? [String] == ["android-key.request.key"], "\(log)")
    }
}
