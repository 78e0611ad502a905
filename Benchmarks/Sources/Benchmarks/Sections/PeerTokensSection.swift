import Foundation

/// Tokens with HS256 against other implementations of JWT.
struct PeerTokensSection: Section {
    let name = "peer-tokens"
    let title = "Tokens, against implementations of JWT"
    let note = "The same tokens in the same run, by turns. Processor time, one thread or process each."

    private struct Subject: Encodable {
        let secret: Data
        let tokens: [String]
    }

    func figures(_ pace: Pace) async throws -> [Figure] {
        let approov = try ApproovTokenSubject(now: Date())
        let subject = Subject(secret: Data(approov.secret), tokens: approov.tokens)
        let peers = try PeerProcess()
        let opponents: [Opponent] = [
            .peer(
                try await peers.contender("PyJWT", "pyjwt", job: "tokens", subject: subject), target: .atLeast(10),
                leavesOut: ""),
            .peer(
                try await peers.contender("joserfc", "joserfc", job: "tokens", subject: subject), target: .atLeast(6),
                leavesOut: ""),
        ]
        let race = Race(pace: pace)
        return try await race.figures(.thread("Approov token (HS256)", approov.assess), against: opponents)
            + race.figures(.process("the same with ledger and verdict", approov.verify), against: opponents)
    }
}
