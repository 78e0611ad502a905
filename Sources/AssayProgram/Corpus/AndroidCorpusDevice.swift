/// The fixed properties of a simulated Android device.
struct AndroidCorpusDevice: Sendable {
    private static let versions: [(weight: Int, choice: Int)] = [
        (22, 36), (24, 35), (20, 34), (13, 33), (8, 32), (5, 31), (5, 30), (3, 29),
    ]

    private let sdk: Int
    private let labels: [String]
    private let activity: String
    private let isMarked: Bool
    private let licensing: String
    private let playProtect: String
    private let lag: Int?

    init(_ random: inout CorpusRandom) {
        sdk = random.choose(Self.versions, 36)
        // Strong integrity on Android 13 and later also requires security updates of the last year.
        let isStrong = sdk >= 33 ? random.happens(perMille: 830) : random.happens(perMille: 500)
        labels = ["MEETS_BASIC_INTEGRITY", "MEETS_DEVICE_INTEGRITY"] + (isStrong ? ["MEETS_STRONG_INTEGRITY"] : [])
        activity = random.choose([(88, "LEVEL_1"), (9, "LEVEL_2"), (3, "LEVEL_3")], "LEVEL_1")
        isMarked = random.happens(perMille: 10)
        licensing = random.choose([(95, "LICENSED"), (3, "UNLICENSED"), (2, "UNEVALUATED")], "LICENSED")
        playProtect = random.choose(
            [(900, "NO_ISSUES"), (60, "NO_DATA"), (30, "POSSIBLE_RISK"), (10, "MEDIUM_RISK")], "NO_ISSUES")
        lag = random.happens(perMille: 80) ? nil : random.below(300)
    }

    func facts(at time: Int, _ calendar: CorpusCalendar, _ random: inout CorpusRandom) -> AndroidCorpusFacts {
        let apps: [(weight: Int, choice: [String])] = [
            (900, ["KNOWN_INSTALLED"]), (50, ["KNOWN_INSTALLED", "UNKNOWN_INSTALLED"]), (30, ["KNOWN_CAPTURING"]),
            (12, ["KNOWN_INSTALLED", "UNKNOWN_OVERLAYS"]), (8, ["UNKNOWN_CONTROLLING"]),
        ]
        return AndroidCorpusFacts(
            sdk: sdk, labels: labels, activity: activity,
            versionCode: calendar.version(at: time, lag: lag).code, isMarked: isMarked, licensing: licensing,
            playProtect: playProtect, apps: random.choose(apps, []),
            location: random.happens(perMille: 15) ? ["HIGH_RISK_NETWORK"] : ["LOW_RISK_DEVICE", "LOW_RISK_NETWORK"])
    }
}
