import Assay
import AssayTesting
import Foundation

/// Classic integrity tokens against peers that open them.
struct PeerPlayIntegritySection: Section {
    let name = "peer-play-integrity"
    let title = "Play Integrity, against peers"
    let note = """
        The same classic token for all, in the same run by turns, with keys that are parsed beforehand. Processor time, one \
        thread or process each.
        """

    private struct Subject: Encodable {
        let decryptionKey: String
        let verificationKey: String
        let packageName: String
        let nonce: Data
        let digest: String
        let token: String

        init(_ subject: ClassicTokenSubject, token: String) {
            decryptionKey = subject.testKeys.decryptionKeyFile
            verificationKey = subject.testKeys.verificationKeyFile
            packageName = ClassicTokenSubject.packageName
            nonce = Data(subject.input.nonce)
            digest = ClassicTokenSubject.digest.map { String(format: "%02x", $0) }.joined(separator: ":")
            self.token = token
        }
    }

    func figures(_ pace: Pace) async throws -> [Figure] {
        let classic = try ClassicTokenSubject(now: Date())
        let peers = try PeerProcess()
        var accepted: [String] = []
        for (name, token) in try classic.refused() {
            let refusal = try await peers.refusal(of: Subject(classic, token: token), job: "classic", by: "pyattest")
            if refusal == nil { accepted.append(name) }
        }
        let subject = Subject(classic, token: classic.token)
        func peer(_ name: String, _ leavesOut: String) async throws -> Opponent {
            .peer(
                try await peers.contender(name, name, job: "classic", subject: subject), leavesOut: leavesOut)
        }
        let cryptographyOnly = "all that the payload says: it is decrypted, verified, and read as JSON."
        return try await Race(pace: pace).figures(
            .thread("classic integrity token", classic.verify),
            against: [
                try await peer(
                    "pyattest",
                    """
                    the time of the request, test responses, version, licensing, Play Protect, device activity and recall, \
                    access risk; which algorithms the token's header may name for its key; strict JSON. Refuses a nonce whose \
                    base64 lacks its padding. Accepted in this run, and refused by ours: \
                    \(accepted.isEmpty ? "nothing that was tried" : accepted.joined(separator: ", ")).
                    """),
                try await peer("joserfc", cryptographyOnly), try await peer("jwcrypto", cryptographyOnly),
            ])
    }
}
