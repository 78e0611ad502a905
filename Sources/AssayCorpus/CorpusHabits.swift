/// When the owner of a device uses it.
struct CorpusHabits: Sendable {
    /// How much an hour of the owner's day is used, from midnight on.
    private static let hours = [
        4, 2, 1, 1, 1, 3, 12, 28, 34, 28, 26, 30, 38, 32, 26, 26, 30, 38, 46, 54, 58, 48, 28, 12,
    ]
    private static let owners: [(weight: Int, choice: Int)] = [
        (30, 1), (25, 0), (15, 2), (12, -5), (8, -8), (5, 9), (5, 5),
    ]
    /// How much more or less than on average, in quarters; the mean is four.
    private static let intensities = [1, 2, 2, 3, 4, 4, 4, 6, 6, 8]
    private static let variations = [0, 2, 4, 4, 6, 8]

    /// Hours from universal time, and how much later than others the owner lives.
    private let offset: Int
    private let intensity: Int
    private let weekend: Int

    init(_ random: inout CorpusRandom) {
        offset = random.choose(Self.owners, 0) - random.below(3)
        intensity = Self.intensities[random.below(Self.intensities.count)]
        weekend = random.number(in: 3...6)
    }

    /// The times of a day's requests, in their order, where `average` is the number of those of an average device.
    func times(
        onDay day: Int, of calendar: CorpusCalendar, average: Double, atLeast minimum: Int,
        _ random: inout CorpusRandom
    ) -> [Int] {
        let start = calendar.start + day * CorpusCalendar.day
        // The first of January 1970 was a Thursday.
        let weekday = (start / CorpusCalendar.day + 4) % 7
        let isWeekend = weekday == 0 || weekday == 6
        let variation = Self.variations[random.below(Self.variations.count)]
        let expected =
            average * Double(intensity * variation * (isWeekend ? weekend : 4)) / 64
            + Double(random.below(1_000_000)) / 1_000_000
        let weights = (0..<24).map { hour in
            let local = (start / CorpusCalendar.hour + hour + offset + 48) % 24
            return (weight: Self.hours[local], choice: hour)
        }
        return (0..<max(minimum, Int(expected))).map { _ in
            start + random.choose(weights, 12) * CorpusCalendar.hour + random.below(CorpusCalendar.hour)
        }.sorted()
    }
}
