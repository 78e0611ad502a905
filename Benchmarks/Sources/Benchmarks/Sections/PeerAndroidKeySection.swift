import AssayTesting
import Foundation

/// Android Key Attestation against the bare signatures, and against another implementation that walks the chain.
struct PeerAndroidKeySection: Section {
    let name = "peer-android-key"
    let title = "Android Key Attestation, against its signatures and peers"
    let note = """
        Factory chains of four certificates under a test authority: P-256, P-256 and RSA with 4096 bits. Ours judges from the bytes \
        to every check's result. New issuers are in none of the last 512 chains; most of that time, and half of the peer's, is that of \
        the signatures. Google's verifier needs Java; in its place, the `cryptography` of Python walks the same chains. Processor \
        time, one thread or process each.
        """

    private struct Chains: Encodable {
        struct Item: Encodable {
            let certificates: [Data]
            let challenge: Data
        }
        let root: Data
        let items: [Item]
    }

    func figures(_ pace: Pace) async throws -> [Figure] {
        let subject = try AndroidKeySubject(now: Date())
        let peers = try PeerProcess()
        let chains = Chains(
            root: Data(try subject.authority.rootCertificates[0]),
            items: subject.certificates.prefix(16).map {
                Chains.Item(certificates: $0.map { Data($0) }, challenge: Data(subject.challenge))
            })
        let walk = try await peers.contender(
            "cryptography (Python)", "cryptography", job: "key-attestation", subject: chains)
        let leavesOut = "all but names, signatures, the pinned key, and that the description holds the challenge."
        let race = Race(pace: pace)
        return try await race.figures(
            .thread("key attestation, issuers new", subject.attestWithNewIssuers),
            against: [
                .bare(
                    .thread("the chain's signatures", subject.verifySignatures), target: .atLeast(1 / 1.2)),
                .peer(walk, target: .faster, leavesOut: leavesOut),
            ])
            + race.figures(
                .thread("key attestation, issuers known", subject.attestWithKnownIssuers),
                against: [
                    .bare(.thread("the leaf's signature", subject.verifyLeaves), target: .atLeast(1 / 1.15)),
                    .peer(walk, target: .atLeast(5), leavesOut: leavesOut),
                ])
    }
}
