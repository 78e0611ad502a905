import AndroidKey
import Assay
import AssayCore
import AssayHTTP
import AssayHummingbird
import AssayPrimitives
import AssayTesting
import FoundationEssentials
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing

/// Routes that demand requests signed by attested keys of Android.
@Suite("Routes for keys of Android")
struct AndroidKeyRouteTests {
    private static let origin = "https://api.example.com"
    private static let package = "com.example.shop"
    private static let digest = [UInt8](repeating: 7, count: 32)

    /// An app of the route, and the attested key of a device.
    private struct Shop {
        let ledger = MemoryLedger()
        let key: AndroidAttestedKey
        let live: ReloadableVerifier

        init(_ algorithm: AndroidAttestedKey.Algorithm = .p256) async throws {
            let authority = try AndroidKeyTestAuthority(seed: "routes", notBefore: TestAPI.now - 86_400)
            key = try AndroidAttestedKey(algorithm, seed: "routes", label: "phone")
            let roots = try authority.rootCertificates.map { try Certificate(der: $0[...]) }
            let configuration = try AndroidKeyConfiguration(
                packages: [package], certificateDigests: [digest], challenge: .caller, statusList: .none
            ) {
                $0.requests = RequestRules()
                $0.testRoots = roots
            }
            let policy = try VerificationPolicy(
                apps: [PolicyApp(name: "android", configuration)], catalogue: Verifier.catalogue)
            let verifier = Verifier(policy: policy, ledger: ledger)
            let minted = try AndroidKeyAttestationBlueprint(
                authority: authority, key: key, packageName: package, certificateDigest: digest,
                challenge: Array("challenge".utf8), issuedAt: TestAPI.now
            ).mint()
            let input = KeyAttestationInput(certificates: minted.certificates, challenge: minted.challenge)
            let verdict = try await verifier.verify(input, account: "alice", at: TestAPI.now)
            try #require(verdict.outcome == .accept)
            live = try ReloadableVerifier(verifier, logger: Logger(label: "test"))
        }

        /// The fields of a request that the key signs.
        func fields(_ method: String = "POST", body: String, age: Double = 0) throws -> HTTPFields {
            var blueprint = SignedRequestBlueprint(
                method: method, targetURI: origin + "/orders", evidence: .androidKey(key), createdAt: TestAPI.now - age)
            blueprint.body = Array(body.utf8)
            var fields = HTTPFields()
            for (name, value) in try blueprint.mint().headers {
                if let name = HTTPField.Name(name) { fields[name] = value }
            }
            return fields
        }

        func application(_ body: RequestBodyMode) throws -> some ApplicationProtocol {
            var options = TestAPI.options(origins: try ServerOrigins(origin))
            options.body = body
            let router = Router(context: BasicEvidenceRequestContext.self)
            router.add(
                middleware: try EvidenceMiddleware(live, app: "android", kind: .androidKeyRequest, options: options))
            router.post("orders") { request, context in
                let body = try await request.body.collect(upTo: 1 << 20)
                let verdict = context.judged?.verdicts.first
                return "\(verdict?.kind.name ?? "-") \(verdict?.androidKey?.account ?? "-") \(body.readableBytes)"
            }
            return Application(router: router)
        }
    }

    private static func send(
        _ client: some TestClientProtocol, _ fields: HTTPFields, body: String
    ) async throws -> String {
        try await client.execute(uri: "/orders", method: .post, headers: fields, body: ByteBuffer(string: body)) {
            $0.status == .ok ? String(buffer: $0.body) : "\($0.status.code)"
        }
    }

    @Test(
        "A request that the key signed passes once, and no other does",
        arguments: [AndroidAttestedKey.Algorithm.p256, .rsa2048], [RequestBodyMode.collected(), .streamed()])
    func requests(algorithm: AndroidAttestedKey.Algorithm, mode: RequestBodyMode) async throws {
        let shop = try await Shop(algorithm)
        try await shop.application(mode).test(.live) { client in
            let signed = try shop.fields(body: "{}")
            #expect(try await Self.send(client, signed, body: "[]") == "401", "another body")
            #expect(try await Self.send(client, [:], body: "{}") == "401", "no signature")
            #expect(try await Self.send(client, shop.fields("PUT", body: "{}"), body: "{}") == "401", "another method")
            #expect(try await Self.send(client, shop.fields(body: "{}", age: 3600), body: "{}") == "401", "too old")
            #expect(try await Self.send(client, signed, body: "{}") == "android-key.request alice 2")
            #expect(try await Self.send(client, signed, body: "{}") == "401", "again")
            try await shop.ledger.block(
                LedgerBlock(
                    subject: KeyIdentifier.androidKey(shop.key.keyID).subject, reason: "stolen", since: TestAPI.now,
                    until: nil))
            #expect(try await Self.send(client, shop.fields(body: "{]"), body: "{]") == "403", "a blocked key")
        }
    }
}
