import AssayTesting
import Foundation

/// Tokens against other implementations of JWT.
struct PeerTokensSection: Section {
    let name = "peer-tokens"
    let title = "Tokens, against implementations of JWT"
    let note = """
        Sixty-four tokens, the same for all, in the same run by turns, with keys that are parsed beforehand; all demand `exp` \
        and compare it. Processor time, one thread or process each.
        """

    private struct Subject: Encodable {
        let algorithm: String
        let tokens: [String]
        let secret: Data?
        let publicKey: String?

        init(_ subject: ApproovTokenSubject, tokens: [String]) {
            self.tokens = tokens
            switch subject.form {
            case .signed: (algorithm, secret, publicKey) = ("HS256", Data(subject.testKeys.secret), nil)
            case .signedES256: (algorithm, secret, publicKey) = ("ES256", nil, subject.testKeys.signingKeyFile)
            case .signedRS256: (algorithm, secret, publicKey) = ("RS256", nil, subject.testKeys.rsaKeyFile)
            case .encrypted:
                (algorithm, secret, publicKey) = ("A256GCMKW", Data(subject.testKeys.encryptionKey), nil)
            }
        }
    }

    func figures(_ pace: Pace) async throws -> [Figure] {
        let peers = try PeerProcess()
        let hs256 = try ApproovTokenSubject(now: Date())
        let others = try await opponents(
            hs256, peers, [("PyJWT", .atLeast(10)), ("joserfc", .atLeast(6)), ("jwcrypto", .faster)])
        let all = others + [try await jwtKit(hs256)]
        let race = Race(pace: pace)
        var figures = try await race.figures(.thread("token with HS256", hs256.assess), against: all)
        figures += try await race.figures(.process("HS256, with ledger and verdict", hs256.verify), against: all)
        let es256 = try ApproovTokenSubject(now: Date(), form: .signedES256)
        figures += try await race.figures(
            .thread("token with ES256", es256.assess),
            against: opponents(es256, peers, [("PyJWT", .faster), ("joserfc", .faster), ("jwcrypto", .faster)])
                + [try await jwtKit(es256)])
        let encrypted = try ApproovTokenSubject(now: Date(), form: .encrypted)
        figures += try await race.figures(
            .thread("encrypted token", encrypted.assess),
            against: opponents(encrypted, peers, [("joserfc", .faster), ("jwcrypto", .faster)]))
        return figures
    }

    private func opponents(
        _ subject: ApproovTokenSubject, _ peers: PeerProcess, _ wanted: [(name: String, target: Target)]
    ) async throws -> [Opponent] {
        var opponents: [Opponent] = []
        for (name, target) in wanted {
            let library = name.lowercased()
            var accepted: [String] = []
            for (variant, token) in try subject.refused() {
                let refusal = try await peers.refusal(
                    of: Subject(subject, tokens: [token]), job: "token", by: library)
                if refusal == nil { accepted.append(variant) }
            }
            let contender = try await peers.contender(
                name, library, job: "token", subject: Subject(subject, tokens: subject.tokens))
            opponents.append(.peer(contender, target: target, leavesOut: Self.leavesOut(accepted)))
        }
        return opponents
    }

    private func jwtKit(_ subject: ApproovTokenSubject) async throws -> Opponent {
        let peer = try await JWTKitPeer(subject)
        var accepted: [String] = []
        for (variant, token) in try subject.refused() where await peer.accepts(token) { accepted.append(variant) }
        return .peer(peer.contender, leavesOut: Self.leavesOut(accepted))
    }

    private static func leavesOut(_ accepted: [String]) -> String {
        """
        the claims of Approov and their types, several live keys with their times, what a token is bound to, a verdict of \
        named checks. Accepted in this run, and refused by ours: \
        \(accepted.isEmpty ? "nothing that was tried" : accepted.joined(separator: ", ")).
        """
    }
}
