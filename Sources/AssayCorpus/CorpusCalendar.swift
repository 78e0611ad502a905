import FoundationEssentials

/// The time that a corpus takes up, in milliseconds since 1970, and what happened in it to the apps.
struct CorpusCalendar: Sendable {
    static let day = 86_400_000
    static let hour = 3_600_000
    /// How long before the end the last request is made, so that what follows on it comes before the end.
    private static let margin = 600_000

    /// The beginning of the first day.
    let start: Int
    let days: Int

    init(_ blueprint: CorpusBlueprint) {
        days = blueprint.days
        let end = Int(blueprint.end.timeIntervalSince1970.rounded(.down)) * 1000
        start = end - Self.margin - days * Self.day
    }

    /// A time as text and certificates have it.
    static func date(_ milliseconds: Int) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// How many in a thousand of all days have passed.
    func progress(at time: Int) -> Int { (time - start) / (days * Self.day / 1000) }

    /// The versions of the app, and when in a thousandth of all days each came out.
    private static let releases: [(progress: Int, version: CorpusVersion)] = [
        (.min, CorpusVersion(bundle: "4.0.3", code: 403)), (100, CorpusVersion(bundle: "4.1.0", code: 410)),
        (550, CorpusVersion(bundle: "4.2.0", code: 420)),
    ]

    /// The version that a device has which updates so much later than a version comes out; nil for one that never does.
    func version(at time: Int, lag: Int?) -> CorpusVersion {
        let passed = lag.map { progress(at: time) - $0 } ?? Int.min
        return Self.releases.last { $0.progress <= passed }?.version ?? Self.releases[0].version
    }
}

/// A version of the app, on both platforms.
struct CorpusVersion: Sendable {
    let bundle: String
    let code: Int
}
