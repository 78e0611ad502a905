import Foundation

/// Tokens of one's own against their bare signatures, and against jwt-kit.
struct OwnTokensSection: Section {
    let name = "own-tokens"
    let title = "Tokens of one's own"
    let note = """
        Bearer tokens of the type `assay+jwt`. Ours judges from the fields of a request to the verdict, with the ledger in memory; \
        issuing writes and signs the claims of a verdict. The bare operations are those of swift-crypto, with a parsed key. \
        Processor time.
        """

    func figures(_ pace: Pace) async throws -> [Figure] {
        let subject = try await OwnTokenSubject(now: Date())
        let race = Race(pace: pace)
        return try await race.figures(
            .process("a token verified", subject.verify),
            against: [
                .bare(.process("a bare P-256 verification", subject.verifySignatures), target: .atLeast(1 / 1.15)),
                .peer(
                    .process("jwt-kit", subject.verifyByJWTKit), target: .atLeast(1.5),
                    leavesOut:
                        "the type of the token, its claims `att`, `jti` and `env`, the times of keys, blocks, a verdict of named checks."
                ),
            ])
            + race.figures(
                .thread("a token issued", subject.issue),
                against: [.bare(.thread("a bare P-256 signature", subject.sign), target: .atLeast(1 / 1.3))])
    }
}
