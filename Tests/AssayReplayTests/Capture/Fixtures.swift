import AppAttest
import Assay
import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// Evidence of a test authority, and reading of captures.
enum Fixtures {
    static let time = Date(timeIntervalSince1970: 1_776_795_192)
    static let appID = "1234567890.com.example.shop"
    static let challenge = Array("challenge of the server".utf8)
    static let clientData = Array("{\"order\":\"a very private thing\"}".utf8)
    static let key = AttestedKey(seed: "capture", label: "device")

    private static let theAuthority = Result {
        try TestAuthority(seed: "capture", notBefore: time.addingTimeInterval(-400 * 86_400))
    }

    static func verifier() throws -> Verifier {
        let roots = try PEM.certificates(in: Array(theAuthority.get().rootPEM.utf8))
        let configuration = try AppAttestConfiguration(
            appIDs: [appID], environments: [.production], challenge: .caller, clientData: .none
        ) { $0.testRoots = roots }
        let policy = try VerificationPolicy(
            apps: [PolicyApp(name: "shop", configuration)], catalogue: Verifier.catalogue)
        return Verifier(policy: policy, ledger: MemoryLedger())
    }

    static func attestation(of key: AttestedKey = key) throws -> AttestationInput {
        let minted = try AttestationBlueprint(
            authority: theAuthority.get(), key: key, appID: appID, clientData: .bytes(challenge), issuedAt: time
        ).mint()
        return AttestationInput(keyID: minted.keyID, attestation: minted.attestation, clientData: .data(challenge))
    }

    static func assertion(of key: AttestedKey = key, counter: UInt32) throws -> AssertionInput {
        let minted = try AssertionBlueprint(key: key, appID: appID, counter: counter, clientData: .bytes(clientData))
            .mint()
        return AssertionInput(keyID: minted.keyID, assertion: minted.assertion, clientData: .data(clientData))
    }

    /// A record without evidence.
    static func record(_ id: String, payload: String = "x") -> EvidenceRecord {
        EvidenceRecord(
            id: id, kind: EvidenceKind("test"), app: nil, receivedAt: time,
            evidence: RecordObject([("payload", .text(payload))]), expect: nil)
    }
}

/// The captured files.
enum Captured {
    /// The names of the files, sorted.
    static func files(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    /// The records of all files, in their order.
    static func records(_ folder: String) throws -> [EvidenceRecord] {
        try files(folder).flatMap { file in
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)")))
            return bytes.isEmpty ? [] : try RecordFile.read(bytes).map { try $0.get() }
        }
    }

    static func mode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }
}
