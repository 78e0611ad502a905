/// Measures contenders by turns, so that all see the same machine.
struct Race {
    /// How many turns each has in a round: what a processor gets done changes from one turn to the next. Few, as the first
    /// operations after a switch find caches cold.
    private static let turns = 2

    let pace: Pace

    /// The ratios of the rates of `ours` to those of its opponents.
    /// - Returns: a figure for each opponent, in their order.
    func figures(_ ours: Contender, against opponents: [Opponent]) async throws -> [Figure] {
        let contenders = [ours] + opponents.map(\.contender)
        var counts: [Int] = []
        let turn = pace.turn / Double(Self.turns)
        for contender in contenders { counts.append(try await contender.count(fillingTurn: turn)) }
        var times = contenders.map { _ in [Double]() }
        for _ in 0..<pace.rounds {
            var round = contenders.map { _ in 0.0 }
            for _ in 0..<Self.turns {
                for (index, contender) in contenders.enumerated() {
                    round[index] += try await contender.time(counts[index])
                }
            }
            for (index, time) in round.enumerated() {
                times[index].append(time / Double(counts[index] * Self.turns))
            }
        }
        return opponents.enumerated().map { index, opponent in
            let theirs = times[index + 1]
            return Figure(
                ours.name, against: opponent.contender.name, ratios: zip(times[0], theirs).map { $1 / $0 },
                target: opponent.target,
                detail: "\(microseconds(times[0])) us against \(microseconds(theirs)) us", leavesOut: opponent.leavesOut
            )
        }
    }

    /// What shares of the time of a whole its parts take.
    func shares(of parts: [Contender], in whole: Contender) async throws -> [Figure] {
        var figures: [Figure] = []
        for part in parts {
            let counts = (
                try await part.count(fillingTurn: pace.turn / 4), try await whole.count(fillingTurn: pace.turn)
            )
            var shares: [Double] = []
            var times: [Double] = []
            for _ in 0..<pace.rounds {
                let time = try await part.time(counts.0) / Double(counts.0)
                times.append(time)
                shares.append(time / (try await whole.time(counts.1) / Double(counts.1)))
            }
            figures.append(
                Figure(
                    part.name, against: whole.name, ratios: shares, target: .none, detail: "\(microseconds(times)) us"))
        }
        return figures
    }

    private func microseconds(_ times: [Double]) -> String { significant(Spread(times).median * 1e6) }
}
