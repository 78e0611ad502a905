import AssayCore
import AssayTesting
import Foundation

/// Evidence of a test authority.
enum TestEvidence {
    static let appID = "1234567890.com.example.shop"
    static let key = AttestedKey(seed: "assay command line", label: "shop")
    static let time = now
    /// For evidence that is judged by the clock: after five minutes, which a slow test run exceeds, it is stale.
    static var now: Date { Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down)) }
    static let challenge = Array("challenge".utf8)

    /// The key ID as an argument.
    static var keyID: String { Data(key.keyID).base64EncodedString() }

    private static let minted = Result {
        try TestAuthority(seed: "assay command line", notBefore: time.addingTimeInterval(-86_400 * 400))
    }

    static func authority() throws -> TestAuthority { try minted.get() }

    static func attestation(
        challenge: [UInt8] = challenge, issuedAt: Date = time
    ) throws -> MintedAttestation {
        try AttestationBlueprint(
            authority: authority(), key: key, appID: appID, clientData: .bytes(challenge), issuedAt: issuedAt
        ).mint()
    }

    static func assertion(counter: UInt32, clientData: [UInt8] = challenge) throws -> MintedAssertion {
        try AssertionBlueprint(key: key, appID: appID, counter: counter, clientData: .bytes(clientData)).mint()
    }

    /// A record on one line.
    static func line(_ record: EvidenceRecord) throws -> String {
        let object = try JSONSerialization.jsonObject(with: Data(record.json.utf8))
        let data = try JSONSerialization.data(withJSONObject: object, options: [.withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self)
    }

    static func attestationLine(
        _ id: String, challenge: [UInt8] = challenge, expect: EvidenceRecord.Expectation? = nil
    ) throws -> String {
        try line(attestation(challenge: challenge).record(id: id, expect: expect))
    }

    static func assertionLine(_ id: String, counter: UInt32) throws -> String {
        try line(assertion(counter: counter).record(id: id, receivedAt: time))
    }
}

extension Scratch {
    /// A policy for the test evidence that trusts the test authority.
    @discardableResult
    func policy(
        _ name: String = "policy.yaml", challenge: String = "caller", appID: String = TestEvidence.appID,
        extra: String = ""
    ) throws -> String {
        try write("test-root.pem", Data(TestEvidence.authority().rootPEM.utf8))
        let text = """
            version: 1
            apps:
              - name: shop
                appAttest:
                  appIDs: [\(appID)]
                  environments: [production]
                  challenge: \(challenge)
                  clientData: \(challenge == "ledger" ? "raw" : "none")
                  testRoots: ["file:test-root.pem"]
            \(extra)
            """
        return try write(name, Data(text.utf8))
    }
}
