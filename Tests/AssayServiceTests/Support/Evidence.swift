import AssayCore
import AssayTestSupport
import AssayTesting
import Foundation

/// Evidence of a test authority for the service.
enum Evidence {
    static let appID = "1234567890.com.example.shop"
    static let key = AttestedKey(seed: "assay service", label: "shop")
    static let time = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
    private static let minted = Result {
        try TestAuthority(seed: "assay service", notBefore: time.addingTimeInterval(-86_400 * 400))
    }

    /// Writes a policy with the apps `shop`, whose challenges are the caller's, and `bank`, whose are the ledger's.
    static func writePolicy(to folder: TestFolder, shop: String = appID) throws {
        try folder.write("root.pem", minted.get().rootPEM)
        func app(_ name: String, _ appID: String, _ challenge: String) -> String {
            """
              - name: \(name)
                appAttest:
                  appIDs: [\(appID)]
                  environments: [production]
                  challenge: \(challenge)
                  clientData: raw
                  testRoots: ["file:root.pem"]

            """
        }
        try folder.write(
            "policy.yaml",
            "version: 1\napps:\n" + app("shop", shop, "caller") + app("bank", "1234567890.com.example.bank", "ledger"))
    }

    /// An attestation of a key as a record on one line.
    static func attestation(
        _ id: String, app: String = "shop", challenge: [UInt8] = Array("challenge".utf8), key: AttestedKey = key
    ) throws -> String {
        let minted = try AttestationBlueprint(
            authority: minted.get(), key: key, appID: app == "shop" ? appID : "1234567890.com.example.bank",
            clientData: .bytes(challenge), issuedAt: time
        ).mint()
        return try line(minted.record(id: id))
    }

    /// An assertion of the key as a record on one line.
    static func assertion(_ id: String, counter: UInt32, key: AttestedKey = key) throws -> String {
        let minted = try AssertionBlueprint(
            key: key, appID: appID, counter: counter, clientData: .bytes(Array("challenge".utf8))
        ).mint()
        let object = try line(minted.record(id: id, receivedAt: time))
        return object.replacingOccurrences(of: #""clientData""#, with: #""challenge":"Y2hhbGxlbmdl","clientData""#)
    }

    private static func line(_ record: EvidenceRecord) throws -> String {
        let object = try JSONSerialization.jsonObject(with: Data(record.json.utf8))
        let data = try JSONSerialization.data(withJSONObject: object, options: [.withoutEscapingSlashes, .sortedKeys])
        return String(decoding: data, as: UTF8.self)
    }
}
