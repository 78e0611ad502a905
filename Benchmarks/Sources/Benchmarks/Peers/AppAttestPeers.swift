import AssayTesting
import Foundation
import SwiftASN1
import X509

/// Peers that do App Attest, or part of it, with the evidence of a subject.
struct AppAttestPeers {
    let subject: MintedAppAttestSubject

    private struct Attestations: Encodable {
        struct Item: Encodable {
            let keyID: Data
            let attestation: Data
            let challenge: Data
        }
        let appID: String
        let root: String
        let items: [Item]
    }

    private struct Assertions: Encodable {
        struct Item: Encodable {
            let assertion: Data
            let clientData: Data
            let publicKey: Data
        }
        let appID: String
        let items: [Item]
    }

    /// pyattest's whole verification of attestations.
    func pyattestAttestation(_ peers: PeerProcess) async throws -> Contender {
        try await peers.contender(
            "pyattest", "pyattest", job: "attestation", subject: attestations(subject.attestations))
    }

    /// What pyattest says of an attestation that must be refused.
    func refusal(of attestation: MintedAttestation, _ peers: PeerProcess) async throws -> String? {
        try await peers.refusal(of: attestations([attestation]), job: "attestation", by: "pyattest")
    }

    private func attestations(_ minted: [MintedAttestation]) -> Attestations {
        Attestations(
            appID: MintedAppAttestSubject.appID, root: subject.authority.rootPEM,
            items: minted.map { minted in
                Attestations.Item(
                    keyID: Data(minted.keyID), attestation: Data(minted.attestation),
                    challenge: Data(minted.clientData.challenge))
            })
    }

    /// pyattest's whole verification of assertions.
    func pyattestAssertion(_ peers: PeerProcess) async throws -> Contender {
        try await peers.contender(
            "pyattest", "pyattest", job: "assertion",
            subject: Assertions(
                appID: MintedAppAttestSubject.appID,
                items: zip(subject.assertions, subject.publicKeys).map { minted, key in
                    Assertions.Item(
                        assertion: Data(minted.assertion), clientData: Data(minted.clientData.challenge),
                        publicKey: Data(key))
                }))
    }

    /// swift-certificates' `Verifier` over leaf and intermediate, from their bytes, under the root that it has parsed.
    func swiftCertificates() throws -> Contender {
        let chains = subject.attestations.map(\.certificates)
        let roots = CertificateStore([try Certificate(derEncoded: subject.authority.rootCertificate)])
        return .process("swift-certificates Verifier") { count in
            for index in 0..<count {
                let chain = chains[index % chains.count]
                let leaf = try Certificate(derEncoded: chain[0])
                let intermediate = try Certificate(derEncoded: chain[1])
                var verifier = Verifier(rootCertificates: roots) { RFC5280Policy() }
                let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore([intermediate]))
                guard case .validCertificate = result else { stop("swift-certificates: \(result)") }
            }
        }
    }
}

extension AppAttestClientData {
    /// What the app took SHA-256 of.
    fileprivate var challenge: [UInt8] {
        switch self {
        case .bytes(let bytes), .hash(let bytes): bytes
        }
    }
}
