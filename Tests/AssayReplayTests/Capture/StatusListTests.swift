import AndroidKey
import Assay
import AssayCore
import AssayPrimitives
import AssayReplay
import AssayTesting
import Foundation
import Testing

/// Captures keep the status lists that verdicts rest on, and analyses judge by them.
struct StatusListCaptureTests {
    private static let time = Date(timeIntervalSince1970: 1_795_132_800)

    /// A service with one list.
    private struct Source: AttestationStatusSource {
        let list: AttestationStatusList

        func statusList(
            at now: Date, maximumAge: Double
        ) async throws(StatusListOutage) -> AttestationStatusList { list }
    }

    private static func list(_ serial: String) throws -> AttestationStatusList {
        try AttestationStatusList(
            json: Array(#"{"entries":{"\#(serial)":{"status":"REVOKED"}}}"#.utf8), fetchedAt: time)
    }

    private static func policy(_ authority: AndroidKeyTestAuthority) throws -> VerificationPolicy {
        let roots = try authority.rootCertificates.map { try Certificate(der: $0[...]) }
        let configuration = try AndroidKeyConfiguration(
            packages: ["com.example.shop"], certificateDigests: [[UInt8](repeating: 7, count: 32)], challenge: .caller,
            statusList: .service(maximumAge: 86_400)
        ) { $0.testRoots = roots }
        return try VerificationPolicy(apps: [PolicyApp(name: "shop", configuration)], catalogue: Verifier.catalogue)
    }

    @Test("A replay judges by the list of the day, and refuses another one in its place")
    func asCaptured() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "assay-lists-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let authority = try AndroidKeyTestAuthority(
            seed: "status lists", notBefore: Self.time.addingTimeInterval(-400 * 86_400))
        let minted = try AndroidKeyAttestationBlueprint(
            authority: authority, key: AndroidAttestedKey(.p256, seed: "status lists", label: "device"),
            packageName: "com.example.shop", certificateDigest: [UInt8](repeating: 7, count: 32), versionCode: 42,
            device: .factory, challenge: Array("challenge".utf8), issuedAt: Self.time
        ).mint()
        let input = KeyAttestationInput(certificates: minted.certificates, challenge: minted.challenge)
        let policy = try Self.policy(authority)
        let former = try Self.list("ffffffff")
        func verifier(_ services: [any EngineService]) -> Verifier {
            Verifier(policy: policy, ledger: MemoryLedger(), services: services)
        }
        let verdict = try await verifier([Source(list: former)]).verify(input, at: Self.time)
        try #require(verdict.outcome == .accept)
        let capture = try RecordCapture(folder: folder)
        let record = EvidenceRecord(input, verdict: verdict, id: "a", receivedAt: Self.time)
        try capture.append(record, verdict: verdict, at: Self.time)
        try capture.append(record, verdict: verdict, at: Self.time)
        try capture.close()
        let kept = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/status-lists")
        #expect(kept == ["\(former.digest.hexadecimal).list"])

        // Later the certificate was revoked: the present list rejects, that of the day accepts.
        let serial = try Certificate(der: minted.certificates[1][...]).serialNumber
        let present = try Self.list(Array(serial).hexadecimal)
        let today = try await verifier([Source(list: present)]).verify(record, at: Self.time)
        #expect(today.failed.map(\.name) == ["android-key.attestation.revocation"])
        let archive = CapturedDocuments(beside: [folder])
        let then = try await verifier([archive, Source(list: present)]).verify(record, at: Self.time)
        #expect(then.outcome == .accept)
        #expect(then.androidKey?.statusListSHA256 == former.digest)

        // What a verdict does not rest on is not captured, whatever the evidence names.
        let named = AndroidKeyEngine.captured(record.evidence, judged: verdict)
        #expect(named["statusList"] != nil)
        let broken = try await verifier([Source(list: present)]).verify(
            KeyAttestationInput(certificates: [[1]], challenge: minted.challenge), at: Self.time)
        #expect(AndroidKeyEngine.captured(record.evidence, judged: broken)["statusList"] == nil)

        // A file with other contents is not that list.
        try Data(present.json).write(to: URL(filePath: "\(folder)/status-lists/\(kept[0])"))
        do throws(VerificationError) {
            _ = try await verifier([CapturedDocuments(beside: [folder])]).verify(record, at: Self.time)
            Issue.record("a verdict")
        } catch {
            guard case .request(let request) = error else { throw error }
            #expect(request.code == "no-status-list")
        }
    }

    @Test("A list that is given for all records counts whatever the policy says")
    func fixed() async throws {
        let list = try FixedStatusList(json: Self.list("a1").json)
        let found = try await AttestationStatusRule.none.list(from: [list], asCaptured: nil, at: Self.time)
        #expect(found?.count == 1)
    }
}
