/// The usage pattern of a device: its time zone and how often and when the user makes requests.
struct CorpusHabits: Sendable {
    /// The weight of each hour of local time, from midnight.
    private static let hours = [
        4, 2, 1, 1, 1, 3, 12, 28, 34, 28, 26, 30, 38, 32, 26, 26, 30, 38, 46, 54, 58, 48, 28, 12,
    ]
    private static let owners: [(weight: Int, choice: Int)] = [
        (30, 1), (25, 0), (15, 2), (12, -5), (8, -8), (5, 9), (5, 5),
    ]
    /// The possible intensities. 4 stands for the average; the mean of the list is 4.
    private static let intensities = [1, 2, 2, 3, 4, 4, 4, 6, 6, 8]
    private static let variations = [0, 2, 4, 4, 6, 8]

    /// The difference between local time and UTC in hours, including the user's personal shift of up to two hours.
    private let offset: Int
    private let intensity: Int
    private let weekend: Int

    init(_ random: inout CorpusRandom) {
        offset = random.choose(Self.owners, 0) - random.below(3)
        intensity = Self.intensities[random.below(Self.intensities.count)]
        weekend = random.number(in: 3...6)
    }

    /// The times of a day's requests in ascending order. `average` is the daily number of requests of an average
    /// device.
    func times(
        onDay day: Int, of calendar: CorpusCalendar, average: Double, atLeast minimum: Int,
        _ random: inout CorpusRandom
    ) -> [Int] {
        let start = calendar.start + day * CorpusCalendar.day
        // 1 January 1970 was a Thursday.
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
