import Foundation

/// What each step of a token's verification takes of the whole.
struct StepsSection: Section {
    let name = "steps"
    let title = "Steps of a token's verification"
    let note = "The time of each step by itself as a share of the whole's. Processor time of one thread."

    func figures(_ pace: Pace) async throws -> [Figure] {
        let race = Race(pace: pace)
        let classic = try ClassicTokenSubject(now: Date(timeIntervalSince1970: 1_795_132_800))
        let hs256 = try HS256Subject()
        return try await race.shares(
            of: classic.steps.map { .thread($0.name, $0.work) }, in: .thread("classic integrity token", classic.verify))
            + race.shares(
                of: hs256.steps.map { .thread($0.name, $0.work) }, in: .thread("token with HS256", hs256.verify))
    }
}
