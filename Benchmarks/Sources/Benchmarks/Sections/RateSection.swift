import Crypto
import Foundation

/// Engines against the cryptography that lies below them.
struct RateSection: Section {
    let name = "rate"
    let title = "Engines against bare cryptography"
    let note = """
        Whole assessments without a ledger, from the bytes of the evidence to every check's result, as a share of the rate \
        of the bare operation below them, which has its keys and signatures parsed. Processor time of one thread.
        """

    func figures(_ pace: Pace) async throws -> [Figure] {
        let race = Race(pace: pace)
        let appAttest = try AppAttestSubject()
        let classic = try ClassicTokenSubject(now: Date(timeIntervalSince1970: 1_795_132_800))
        let messages = try ApproovMessageSubject(now: Date())
        let p256 = Contender.thread("bare P-256 (swift-crypto)", appAttest.bareP256)
        let p384 = Contender.thread("bare P-384 (swift-crypto)", appAttest.bareP384)
        var figures = try await race.figures(
            .thread("assertion", appAttest.assertions),
            against: [.bare(p256, target: .atLeast(0.94))] + openSSL(appAttest))
        figures += try await race.figures(
            .thread("attestation, intermediate known", appAttest.attestationsWithoutReceipt),
            against: [.bare(p384, target: .atLeast(0.92))])
        figures += try await race.figures(
            .thread("attestation with its receipt", appAttest.attestations),
            against: [.bare(p384, target: .atLeast(0.70))])
        figures += try await race.figures(
            .thread("classic integrity token", classic.verify),
            against: [
                .bare(.thread("its key unwrap, decryption and P-256", classic.bare), target: .atLeast(0.83))
            ])
        figures += try await race.figures(
            .thread("signed message without a body", messages.assessReads),
            against: [.bare(p256, target: .atLeast(0.70))])
        figures += try await race.figures(
            .thread("signed message with a body", messages.assessWrites),
            against: [.bare(p256, target: .atLeast(0.70))])
        return figures
    }

    /// The same P-256 verification by OpenSSL: as it is commonly called, and with all that can be done beforehand.
    private func openSSL(_ subject: AppAttestSubject) -> [Opponent] {
        let bare = BareP256(
            key: Array(subject.p256.derRepresentation), message: Array(subject.p256Message),
            hash: Array(SHA256.hash(data: subject.p256Message)),
            signature: Array(subject.p256Signature.derRepresentation))
        guard let bare else { stop("OpenSSL does not take the key") }
        return [
            .bare(
                .thread("EVP_DigestVerify (OpenSSL)") { count in
                    for _ in 0..<count { require(bare.verifyMessage(), "EVP_DigestVerify") }
                }, target: .atLeast(1.12)),
            .bare(
                .thread("EVP_PKEY_verify (OpenSSL)") { count in
                    for _ in 0..<count { require(bare.verifyHash(), "EVP_PKEY_verify") }
                }, target: .none),
        ]
    }
}
