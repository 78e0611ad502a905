import Assay
import AssayCore
import AssayPrimitives
import Foundation
import PlayIntegrity
import Testing

/// Records are read strictly, and judged by the app that they name or match.
@Suite("Play Integrity records")
struct RecordTests {
    private func verify(
        _ evidence: String, kind: String, app: String? = nil, apps: [String] = ["com.example.shop"]
    ) async throws(VerificationError) -> Verdict {
        let verifier: Verifier
        let record: EvidenceRecord
        do {
            let policy = try VerificationPolicy(
                apps: apps.enumerated().map { index, name in
                    PolicyApp(
                        name: "app\(index)",
                        try PlayIntegrityConfiguration(
                            packageName: name, android: .init(certificateDigests: [Fixtures.digest]), challenge: .caller
                        ))
                }, keys: [Fixtures.key("play", scope: "com.example.shop")], catalogue: Verifier.catalogue)
            verifier = Verifier(policy: policy, ledger: MemoryLedger())
            let name = app.map { "\"app\":\"\($0)\"," } ?? ""
            let json = "{\"kind\":\"play-integrity.\(kind)\",\(name)\"evidence\":\(evidence)}"
            record = try #require(RecordFile.read(Array(json.utf8)).first).get()
        } catch {
            throw .request(RequestError(.invalidTime, "\(error)"))
        }
        return try await verifier.verify(record, at: Fixtures.now)
    }

    private func error(_ evidence: String, kind: String) async -> RecordError? {
        do {
            _ = try await verify(evidence, kind: kind)
        } catch .record(let error) {
            return error
        } catch {
            Issue.record("\(error)")
        }
        return nil
    }

    private func requestError(_ evidence: String, app: String? = nil, apps: [String]) async -> RequestError? {
        do {
            _ = try await verify(evidence, kind: "standard", app: app, apps: apps)
        } catch .request(let error) {
            return error
        } catch {
            Issue.record("\(error)")
        }
        return nil
    }

    private static let standard =
        #"{"packageName":"com.example.shop","requestHash":"\#(Fixtures.requestHash)","decoded":{"tokenPayloadExternal":"#
        + Fixtures.standard.rendered + "}}"

    private func classic(nonce: String = Fixtures.nonce) throws -> String {
        #"{"packageName":"com.example.shop","nonce":"\#(nonce)","token":"\#(try Fixtures.classicToken())"}"#
    }

    @Test("Records of both kinds are judged; an answer in a record is judged like an answer in a call")
    func judged() async throws {
        #expect(try await verify(classic(), kind: "classic").outcome == .accept)
        let standard = try await verify(Self.standard, kind: "standard")
        #expect(standard.outcome == .accept)
        #expect(standard.code(CheckID.playIntegrityDecode) == "answer-supplied")
        let refused = #"{"packageName":"com.example.shop","requestHash":"x","decoded":{"error":{"code":400}}}"#
        #expect(try await verify(refused, kind: "standard").code(CheckID.playIntegrityDecode) == "google-refused")
    }

    @Test(
        "A classic record that cannot be read names its field",
        arguments: [
            (#"{"token":"t","nonce":"AAAAAAAAAAAAAAAA"}"#, "evidence.packageName"),
            (#"{"packageName":"a.b","nonce":"AAAAAAAAAAAAAAAA"}"#, "evidence"),
            (#"{"packageName":"a.b","token":"t"}"#, "evidence.nonce"),
            (#"{"packageName":"a.b","token":"t","nonce":"AAAAAAAAAAAAAAA"}"#, "evidence.nonce"),
            (#"{"packageName":"a.b","token":"t","nonce":"AAAAAAAAAAAAAAAAA"}"#, "evidence.nonce"),
            (#"{"packageName":"a.b","token":"t","nonce":"AAAA AAAA AAAA AAAA"}"#, "evidence.nonce"),
            (#"{"packageName":"a.b","token":"t","nonce":"AAAAAAAAAAAAAAAA="}"#, "evidence.nonce"),
            (#"{"packageName":"a.b","token":"t","nonce":["AAAAAAAAAAAAAAAA"]}"#, "evidence.nonce"),
            (#"{"packageName":"a.b","token":1,"nonce":"AAAAAAAAAAAAAAAA"}"#, "evidence.token"),
            (
                #"{"packageName":"a.b","token":"t","nonce":"AAAAAAAAAAAAAAAA","requestHash":"x"}"#, "evidence.nonce"
            ),
            (#"{"packageName":"a.b","token":"t","challenge":"AAAA"}"#, "evidence.requestHash"),
            (#"{"packageName":"a.b","token":"t","challenge":"AAAA","requestHash":"AAAA"}"#, "evidence.requestHash"),
            (#"{"packageName":"a.b","token":"t","challenge":"","requestHash":"AAAA"}"#, "evidence.challenge"),
            (
                #"{"packageName":"a.b","token":"t","nonce":"\#(String(repeating: "A", count: 504))"}"#, "evidence.nonce"
            ),
        ])
    func classicErrors(evidence: String, field: String) async {
        #expect(await error(evidence, kind: "classic")?.field == field)
    }

    @Test("A nonce of 16 and one of 500 characters are read")
    func nonceLengths() async throws {
        for length in [16, 500] {
            let verdict = try await verify(classic(nonce: String(repeating: "A", count: length)), kind: "classic")
            #expect(verdict.failed == [CheckID.playIntegrityNonce])
        }
    }

    @Test(
        "A standard record that cannot be read names its field",
        arguments: [
            (#"{"requestHash":"x","token":"t"}"#, "evidence.packageName"),
            (#"{"packageName":"a.b","token":"t"}"#, "evidence.requestHash"),
            (#"{"packageName":"a.b","requestHash":"","token":"t"}"#, "evidence.requestHash"),
            (
                #"{"packageName":"a.b","requestHash":"\#(String(repeating: "x", count: 501))","token":"t"}"#,
                "evidence.requestHash"
            ),
            (#"{"packageName":"a.b","requestHash":"x"}"#, "evidence"),
            (#"{"packageName":"a.b","requestHash":"x","token":"t","decoded":{}}"#, "evidence"),
            (#"{"packageName":"a.b","requestHash":"x","decoded":"e30="}"#, "evidence.decoded"),
            (#"{"packageName":"a.b","requestHash":"x","token":{}}"#, "evidence.token"),
            (#"{"packageName":"a.b","requestHash":"x","token":"t","nonce":"y"}"#, "evidence.nonce"),
        ])
    func standardErrors(evidence: String, field: String) async {
        #expect(await error(evidence, kind: "standard")?.field == field)
    }

    @Test("Of several apps, the named one or the one with the package name judges; none or several is a wrong call")
    func apps() async throws {
        let apps = ["com.example.bank", "com.example.shop"]
        #expect(try await verify(Self.standard, kind: "standard", apps: apps).app == "app1")
        let named = try await verify(Self.standard, kind: "standard", app: "app0", apps: apps)
        #expect(named.app == "app0")
        #expect(named.failed.first == CheckID.playIntegrityRequestPackage)
        #expect(
            await requestError(Self.standard, apps: ["com.example.bank", "com.example.game"])?.reason == .ambiguousApp)
        #expect(
            await requestError(Self.standard, apps: ["com.example.shop", "com.example.shop"])?.reason == .ambiguousApp)
        let unknown = await requestError(Self.standard, app: "app7", apps: apps)
        #expect(unknown?.reason == .unknownApp)
        #expect(unknown?.message.contains("app0, app1") == true)
    }

    @Test("A single app judges all evidence; evidence of another app fails the package check")
    func singleApp() async throws {
        let verdict = try await verify(Self.standard, kind: "standard", apps: ["com.example.bank"])
        #expect(verdict.failed.first == CheckID.playIntegrityRequestPackage)
    }
}
