import AppAttest
import Assay
import AssayCore
import AssayTesting
import Foundation

/// A fixed authority, key and time, so that a failure can be repeated.
enum Fixtures {
    static let time = Date(timeIntervalSince1970: 1_776_795_192)
    static let appID = "1234567890.com.example.shop"
    static let challenge = Array("challenge".utf8)
    static let key = AttestedKey(seed: "facade", label: "device")

    // One and the same: a second one from this seed would have the same keys and other signatures.
    private static let theAuthority = Result {
        try TestAuthority(seed: "facade", notBefore: time.addingTimeInterval(-400 * 86_400))
    }

    static func authority() throws -> TestAuthority { try theAuthority.get() }

    /// A policy file with apps whose App IDs end in their names, under the test authority.
    static func policy(_ apps: [String] = ["shop"], clientData: String = "none", checks: String = "") throws
        -> VerificationPolicy
    {
        var text = "version: 1\napps:\n"
        for app in apps {
            text += """
                  - name: \(app)
                    appAttest:
                      appIDs: [1234567890.com.example.\(app)]
                      environments: [production]
                      challenge: caller
                      clientData: \(clientData)
                      testRoots: ["file:root.pem"]

                """
        }
        return try PolicyFile.parse(
            text + checks, file: "p.yaml", files: MemoryFiles(["file:root.pem": authority().rootPEM]))
    }

    static func attestation(appID: String = appID) throws -> MintedAttestation {
        try AttestationBlueprint(
            authority: authority(), key: key, appID: appID, clientData: .bytes(challenge), issuedAt: time
        ).mint()
    }

    static func input(_ minted: MintedAttestation) -> AttestationInput {
        AttestationInput(keyID: minted.keyID, attestation: minted.attestation, clientData: .data(challenge))
    }
}

/// The files that a policy refers to, without a disk.
struct MemoryFiles: PolicyFiles {
    let files: [String: String]

    init(_ files: [String: String] = [:]) { self.files = files }

    func contents(of node: PolicyNode) throws(PolicyError) -> [UInt8] {
        guard let file = try files[node.text()] else { throw node.error("no such file") }
        return Array(file.utf8)
    }
}
