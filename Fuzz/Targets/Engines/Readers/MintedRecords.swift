import Approov
import Assay
import AssayCore
import AssayTesting
import Foundation

/// Records of some kinds as files have them, and a verifier that knows an app of every engine.
enum MintedRecords {
    private static func record<Evidence: EditableEvidence>(_ evidence: Evidence) -> [UInt8] {
        guard let closed = evidence.close() else { FuzzTarget.broken("genuine evidence cannot be closed") }
        var bytes: [UInt8] = []
        RecordJSON.append(.object(closed.record.document), to: &bytes)
        return bytes
    }

    static let attestation = record(FuzzedAttestation(.iOS26, hasReceipt: false))
    static let assertion = record(FuzzedAssertion(extensions: .none, isRaw: true))
    static let classic = record(FuzzedClassicToken())
    static let standard = record(FuzzedStandardAnswer(GoogleMint.computerPayload))
    static let message = record(FuzzedApproovMessage(.account))
    static let token = record(FuzzedApproovToken(.hs256))
    static let loggable = record(FuzzedApproovToken(.loggable))
    static let proof = record(FuzzedApproovProof(isOfToken: false))
    static let all = [attestation, assertion, classic, standard, message, token, loggable, proof]

    static let verifier: Verifier = {
        let parts = [
            AppleMint.verifier().policy, GoogleMint.verifier().policy,
            ApproovMint.verifier(signing: MessageSigning(signer: .account)).policy,
        ]
        do {
            let policy = try Policy(
                apps: [
                    PolicyApp(name: "shop", configurations: parts[..<2].flatMap { $0.apps[0].configurations }),
                    parts[2].apps[0],
                ], keys: parts.flatMap(\.keys), catalogue: Verifier.catalogue)
            return Verifier(policy: policy, ledger: MemoryLedger())
        } catch {
            FuzzTarget.broken("no policy: \(error)")
        }
    }()
}
