import AndroidKey
import Assay
import AssayCore
import AssayHTTP
import AssayHummingbird
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing

/// The middleware captures what it has judged, and the records are judged the same again.
@Suite("Captures of the middleware")
struct CaptureTests {
    private static let origin = "https://api.example.com"

    private static func capture(_ folder: TestFolder) throws -> SampledCapture {
        try SampledCapture(folder: folder.path("c"), share: 1, options: CaptureOptions())
    }

    private static func records(_ folder: TestFolder) throws -> [EvidenceRecord] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("c")).sorted()
        return try names.flatMap { name in
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: folder.path("c/\(name)"))))
            return try RecordFile.read(bytes).map { try $0.get() }
        }
    }

    /// Judges records under a policy as they were captured, and compares the verdicts.
    private static func replay(_ records: [EvidenceRecord], _ verifier: Verifier) async throws -> [String] {
        var words: [String] = []
        for record in records {
            let verdict = try await verifier.verify(record, at: try #require(record.receivedAt))
            #expect(record.expect?.isMet(by: verdict) == true, "\(record.jsonLine) \(verdict)")
            words.append("\(verdict.kind.name) \(verdict.outcome.rawValue)")
        }
        return words
    }

    @Test("Tokens in fields are captured, accepted or not, with what they are bound to")
    func fields() async throws {
        let folder = try TestFolder()
        let capture = try Self.capture(folder)
        let policy = try TestAPI.policy {
            $0.binding = ["Authorization"]
            $0.failover = .reject
        }
        let live = try ReloadableVerifier(
            Verifier(policy: policy, ledger: MemoryLedger()), logger: Logger(label: "test"))
        let digest = Base64.encode(Digest.sha256(Array("Bearer session".utf8)), .standard)
        let token = try TestAPI.token([JSONItem.Member("pay", .text(digest))])
        try await TestAPI.application(live, options: TestAPI.options { $0.capture = capture }).test(.router) { client in
            for session in ["Bearer session", "Bearer another"] {
                let fields: HTTPFields = [.approovToken: token, .authorization: session]
                _ = try await client.execute(uri: "/stock", method: .get, headers: fields) { $0.status }
            }
        }
        await capture.close()
        #expect(capture.count(.written) == 2)
        let records = try Self.records(folder)
        #expect(records.allSatisfy { $0.app == "api" })
        #expect(
            try await Self.replay(records, Verifier(policy: policy, ledger: MemoryLedger()))
                == ["approov.token accept", "approov.token reject"])
    }

    /// The policy of an app whose key signs requests, and its ledger.
    private static func shop(_ key: AndroidAttestedKey) async throws -> () async throws -> Verifier {
        let authority = try AndroidKeyTestAuthority(seed: "captures", notBefore: TestAPI.now - 86_400)
        let roots = try authority.rootCertificates.map { try Certificate(der: $0[...]) }
        let digest = [UInt8](repeating: 7, count: 32)
        let configuration = try AndroidKeyConfiguration(
            packages: ["com.example.shop"], certificateDigests: [digest], challenge: .caller, statusList: .none
        ) {
            $0.requests = RequestRules()
            $0.testRoots = roots
        }
        let policy = try VerificationPolicy(
            apps: [PolicyApp(name: "android", configuration)], catalogue: Verifier.catalogue)
        let minted = try AndroidKeyAttestationBlueprint(
            authority: authority, key: key, packageName: "com.example.shop", certificateDigest: digest,
            challenge: Array("challenge".utf8), issuedAt: TestAPI.now
        ).mint()
        let input = KeyAttestationInput(certificates: minted.certificates, challenge: minted.challenge)
        return {
            let verifier = Verifier(policy: policy, ledger: MemoryLedger())
            let verdict = try await verifier.verify(input, at: TestAPI.now)
            try #require(verdict.outcome == .accept)
            return verifier
        }
    }

    @Test(
        "Signed requests are captured with the digests of their bodies, read at once or in parts",
        arguments: [RequestBodyMode.collected(), .streamed()])
    func signed(mode: RequestBodyMode) async throws {
        let folder = try TestFolder()
        let capture = try Self.capture(folder)
        let key = try AndroidAttestedKey(.p256, seed: "captures", label: "phone")
        let shop = try await Self.shop(key)
        let live = try ReloadableVerifier(await shop(), logger: Logger(label: "test"))
        var options = TestAPI.options(origins: try ServerOrigins(Self.origin)) { $0.capture = capture }
        options.body = mode
        let router = Router(context: BasicEvidenceRequestContext.self)
        router.add(
            middleware: try EvidenceMiddleware(live, app: "android", kind: .androidKeyRequest, options: options))
        router.post("orders") { request, _ in
            _ = try await request.body.collect(upTo: 1 << 20)
            return "done"
        }
        let body = #"{"secret":"order"}"#
        var blueprint = SignedRequestBlueprint(
            method: "POST", targetURI: Self.origin + "/orders", evidence: .androidKey(key), createdAt: TestAPI.now)
        blueprint.body = Array(body.utf8)
        var fields = HTTPFields()
        for (name, value) in try blueprint.mint().headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        let signed = fields
        try await Application(router: router).test(.live) { client in
            // Another body, the signed one, and the same again.
            for sent in ["{}", body, body] {
                _ = try await client.execute(
                    uri: "/orders", method: .post, headers: signed, body: ByteBuffer(string: sent)
                ) { $0.status }
            }
        }
        await capture.close()
        let records = try Self.records(folder)
        #expect(records.count == 3 && capture.count(.unrecordable) == 0)
        for record in records {
            #expect(!record.jsonLine.contains(Data(body.utf8).base64EncodedString()))
            #expect(record.jsonLine.contains("bodyDigest"))
        }
        #expect(
            try await Self.replay(records, shop())
                == ["android-key.request reject", "android-key.request accept", "android-key.request reject"])
    }

    @Test("Requests of other kinds than the given ones are not captured")
    func kinds() async throws {
        let folder = try TestFolder()
        let capture = try SampledCapture(
            folder: folder.path("c"), share: 1, kinds: [.appAttestAssertion], options: CaptureOptions())
        let token = try TestAPI.token()
        try await TestAPI.application(TestAPI.live(), options: TestAPI.options { $0.capture = capture }).test(.router) {
            client in
            _ = try await client.execute(uri: "/stock", method: .get, headers: [.approovToken: token]) { $0.status }
        }
        await capture.close()
        #expect(try Self.records(folder).isEmpty)
    }
}
