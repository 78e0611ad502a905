import Assay
import AssayTesting
import Foundation

/// App Attest against peers that do it too, or the part of it that is the chain.
struct PeerAppAttestSection: Section {
    let name = "peer-app-attest"
    let title = "App Attest, against peers"
    let note = """
        Evidence of sixteen devices under a test authority, the same for all, in the same run by turns. Ours judges from \
        the bytes to every check's result and knows the intermediate from before; so do the peers as far as they can be \
        told. Processor time, one thread or process each.
        """

    func figures(_ pace: Pace) async throws -> [Figure] {
        let subject = try MintedAppAttestSubject(now: Date())
        let all = AppAttestPeers(subject: subject)
        let peers = try PeerProcess()
        let accepted = try await wronglyAccepted(subject, all, peers)
        let pyattest = try await all.pyattestAttestation(peers)
        let pyattestLeavesOut = """
            `fmt`, the flags, the public key in the authenticator data, the receipt and all extensions but the nonce; strict \
            CBOR and DER; a time of judgement other than the clock; challenge and enrolment. Trusts the system's TLS roots \
            besides Apple's. Accepted in this run, and refused by ours: \(accepted.joined(separator: ", ")).
            """
        let race = Race(pace: pace)
        return try await race.figures(
            .thread("attestation, receipt not looked at", subject.attestWithoutReceipt),
            against: chains(subject) + [
                .peer(
                    try all.swiftCertificates(),
                    leavesOut: "all but the chain, which it verifies anew up to the root for every leaf."),
                .peer(pyattest, target: .atLeast(20), leavesOut: pyattestLeavesOut),
            ])
            + race.figures(
                .thread("attestation with its receipt", subject.attest),
                against: [.peer(pyattest, leavesOut: pyattestLeavesOut)])
            + race.figures(
                .thread("assertion", subject.assert),
                against: [
                    .peer(
                        try await all.pyattestAssertion(peers),
                        leavesOut: "all but the signature: App ID, counter and challenge are not looked at.")
                ])
    }

    private func chains(_ subject: MintedAppAttestSubject) throws -> [Opponent] {
        let bare = subject.attestations.compactMap { minted in
            BareChain(minted.certificates, root: subject.authority.rootCertificate, at: subject.now)
        }
        require(bare.count == subject.attestations.count, "OpenSSL does not take the certificates")
        return [
            .peer(
                .thread("X509_verify_cert, from bytes (OpenSSL)") { count in
                    for index in 0..<count { require(bare[index % bare.count].verifyFromBytes(), "X509_verify_cert") }
                }, target: .atLeast(3), leavesOut: "all but the chain."),
            .peer(
                .thread("X509_verify_cert, parsed before (OpenSSL)") { count in
                    for index in 0..<count { require(bare[index % bare.count].verifyParsed(), "X509_verify_cert") }
                }, leavesOut: "all but the chain; and its certificates were parsed before, which a server cannot do."),
        ]
    }

    /// What pyattest accepts of attestations that ours refuses; each was changed outside of what Apple has signed.
    private func wronglyAccepted(
        _ subject: MintedAppAttestSubject, _ all: AppAttestPeers, _ peers: PeerProcess
    ) async throws -> [String] {
        var accepted: [String] = []
        for (name, change) in Self.changes(otherReceipt: subject.attestations[1].receipt ?? []) {
            var blueprint = AttestationBlueprint(
                authority: subject.authority, appID: MintedAppAttestSubject.appID, clientData: .bytes([1, 2, 3]),
                issuedAt: subject.now - 3600)
            change(&blueprint)
            let minted = try blueprint.mint()
            require(!subject.accepts(minted), "an attestation with \(name) holds")
            if try await all.refusal(of: minted, peers) == nil { accepted.append(name) }
        }
        return accepted.isEmpty ? ["nothing that was tried"] : accepted
    }

    private static func changes(
        otherReceipt: [UInt8]
    ) -> [(name: String, change: (inout AttestationBlueprint) -> Void)] {
        [
            ("bytes after the object", { $0.changeEncoded = { $0 + [0] } }),
            ("another `fmt`", { $0.changeEncoded = { replacing("apple-appattest", with: "apple-appattesT", in: $0) } }),
            ("the receipt of another device", { $0.receipt = .bytes(otherReceipt) }),
        ]
    }

    private static func replacing(_ text: String, with other: String, in bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        if let range = bytes.firstRange(of: Array(text.utf8)) { bytes.replaceSubrange(range, with: Array(other.utf8)) }
        return bytes
    }
}
