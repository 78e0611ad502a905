import Assay
import AssayCore
import Foundation
import PlayIntegrity
import Testing

/// Evidence that names no app of several is rejected without an app if none of them can decode it.
@Suite("Evidence that no app can decode")
struct UndecodableEvidenceTests {
    private static let policy = """
        version: 1
        apps:
          - name: one
            appAttest:
              { appIDs: [1234567890.com.example.one], environments: [production], challenge: caller, clientData: none }
            playIntegrity: { packageName: com.example.one, certificateDigests: [\(digest)] }
            approov: { messageSigning: { signer: installation }, textSigning: {} }
            androidKey: { packages: [com.example.one], certificateDigests: [\(digest)], statusList: none }
            tokens: { issuer: "https://attest.example.com", audiences: [orders] }
          - name: two
            appAttest:
              { appIDs: [1234567890.com.example.two], environments: [production], challenge: caller, clientData: raw }
            playIntegrity: { packageName: com.example.two, certificateDigests: [\(digest)] }
            approov: { format: jwe, tokenHeader: X-Token, messageSigning: { signer: account }, textSigning: {} }
            androidKey: { packages: [com.example.two], certificateDigests: [\(digest)], statusList: none }
            tokens: { issuer: "https://attest.example.com", audiences: [orders] }
        """

    private static let secret = Data(repeating: 1, count: 64).base64EncodedString()
    private static let digest = String(repeating: "6a", count: 32)

    private func verify(
        _ kind: String, _ evidence: String, app: String? = nil, policy: String = policy
    ) async throws -> Verdict {
        let policy = try PolicyFile.parse(policy, file: "p.yaml", files: MemoryFiles(["file:secret": Self.secret]))
        let name = app.map { "\"app\":\"\($0)\"," } ?? ""
        let json = "{\"kind\":\"\(kind)\",\(name)\"evidence\":{\(evidence)}}"
        let record = try #require(RecordFile.read(Array(json.utf8)).first).get()
        return try await Verifier(policy: policy, ledger: MemoryLedger()).verify(record, at: Fixtures.time)
    }

    private static let undecodable = [
        ("app-attest.attestation", #""keyId":"AA==","attestation":"oA==","challenge":"AA==""#),
        ("app-attest.assertion", #""keyId":"AA==","assertion":"oA==","clientData":"AA==""#),
        ("app-attest.receipt", #""keyId":"AA==","receipt":"oA==""#),
        ("play-integrity.classic", #""packageName":"a.b","token":"x","nonce":"AAAAAAAAAAAAAAAAAAAAAA==""#),
        ("play-integrity.standard", #""packageName":"a.b","requestHash":"x","decoded":{}"#),
        ("approov.token", #""token":"x""#),
        ("approov.token", #""loggable":"x""#),
        (
            "approov.message",
            #""method":"GET","targetURI":"https://a.example/","headers":[["Approov-Token","x"],["X-Token","x"]]"#
        ),
        ("approov.message", #""method":"GET","targetURI":"https://a.example/","headers":[]"#),
        ("approov.text", #""token":"x","text":"x","signature":"AA==""#),
        ("approov.proof", #""nonce":"AA==","proof":"AA==","token":"x""#),
        ("android-key.attestation", #""certificates":["MA=="],"challenge":"AA==""#),
        ("android-key.attestation", #""certificates":[],"challenge":"AA==""#),
        ("assay.token", #""token":"x""#),
        ("assay.token", #""method":"GET","targetURI":"https://a.example/","headers":[]"#),
    ]

    @Test(
        "Of every kind: the decoding failed, everything else is skipped because of it, and there is no app",
        arguments: undecodable)
    func rejected(kind: String, evidence: String) async throws {
        let verdict = try await verify(kind, evidence)
        #expect(verdict.kind.name == kind)
        #expect(verdict.app == nil)
        #expect(verdict.outcome == .reject)
        #expect(verdict.subject == nil)
        let decode = try #require(verdict.checks.first)
        #expect(decode.check.name.hasSuffix(".decode"))
        #expect(verdict.failed == [decode.check])
        for result in verdict.checks.dropFirst() {
            #expect(result.status == .skipped)
            #expect(result.because == .check(decode.check))
        }
        #expect(!verdict.json(id: nil).contains(#""app""#))
        // The checks are those of a named app. The policy has no key that a classic token would need.
        if kind == EvidenceKind.playIntegrityClassic.name { return }
        let named = try await verify(kind, evidence, app: "one", policy: Self.policyWithKeys)
        #expect(named.app == "one")
        #expect(named.checks.map(\.check) == verdict.checks.map(\.check))
        #expect(named.failed == verdict.failed)
    }

    private static let policyWithKeys = policy.replacingOccurrences(
        of: "apps:",
        with: """
            keys:
              - { name: a, use: approov, for: one, secret: "file:secret" }
              - { name: b, use: approov-message, for: one, keyID: b, secret: "file:secret" }
            apps:
            """)

    private func error(_ kind: String, _ evidence: String, policy: String = policy) async throws -> RequestError? {
        do {
            _ = try await verify(kind, evidence, policy: policy)
        } catch VerificationError.request(let error) {
            return error
        }
        return nil
    }

    @Test(
        "Evidence that some app can decode remains an error of the caller, and so does evidence that only Google decodes",
        arguments: [
            // Forms that one of the two apps decodes.
            ("approov.token", #""token":"eyJhbGciOiJIUzI1NiJ9.e30.AAAA""#),
            ("approov.proof", #""nonce":"AA==","proof":"AA==","token":"eyJhbGciOiJIUzI1NiJ9.e30.AAAA""#),
            ("approov.proof", #""nonce":"AA==","proof":"AA==","measurements":{}"#),
            ("approov.text", #""token":"eyJhbGciOiJIUzI1NiJ9.e30.AAAA","text":"x","signature":"AA==""#),
            (
                "approov.message",
                #""method":"GET","targetURI":"https://a.example/","#
                    + #""headers":[["Approov-Token","eyJhbGciOiJIUzI1NiJ9.e30.AAAA"]]"#
            ),
            (
                "play-integrity.standard",
                #""packageName":"a.b","requestHash":"x","decoded":{"tokenPayloadExternal":{}}"#
            ),
            ("play-integrity.standard", #""packageName":"a.b","requestHash":"x","token":"*""#),
        ])
    func ambiguous(kind: String, evidence: String) async throws {
        #expect(try await error(kind, evidence)?.reason == .ambiguousApp)
    }

    @Test("A package name of exactly one app finds the app without decoding")
    func packageName() async throws {
        let standard = #""packageName":"com.example.two","requestHash":"x","decoded":{}"#
        let verdict = try await verify("play-integrity.standard", standard)
        #expect(verdict.app == "two")
        #expect(verdict.failed == [CheckID.playIntegrityDecode])
    }

    @Test("Apps without a section on messages do not decide on messages")
    func messages() async throws {
        let policy = """
            version: 1
            apps:
              - { name: one, approov: {} }
              - { name: two, approov: {} }
            """
        let message = #""method":"GET","targetURI":"https://a.example/","headers":[]"#
        #expect(try await error("approov.message", message, policy: policy)?.reason == .ambiguousApp)
    }

    @Test("A name that the policy does not have remains an error of the caller")
    func unknownApp() async throws {
        for (kind, evidence) in Self.undecodable {
            do {
                _ = try await verify(kind, evidence, app: "three")
                Issue.record("\(kind) was judged")
            } catch VerificationError.request(let error) {
                #expect(error.reason == .unknownApp)
            }
        }
    }
}
