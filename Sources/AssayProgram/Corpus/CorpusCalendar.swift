import FoundationEssentials

/// The period of a corpus in milliseconds since 1970, and the app's releases in it.
struct CorpusCalendar: Sendable {
    static let day = 86_400_000
    static let hour = 3_600_000
    /// The time between the last request and the end of the period, for the events that follow the request.
    private static let margin = 600_000

    /// The start of the first day.
    let start: Int
    let days: Int

    init(_ blueprint: CorpusBlueprint) {
        days = blueprint.days
        let end = Int(blueprint.end.timeIntervalSince1970.rounded(.down)) * 1000
        start = end - Self.margin - days * Self.day
    }

    /// Converts milliseconds since 1970 to a `Date`.
    static func date(_ milliseconds: Int) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// The elapsed part of the period, in thousandths.
    func progress(at time: Int) -> Int { (time - start) / (days * Self.day / 1000) }

    /// The versions of the app and their release times, in thousandths of the period.
    private static let releases: [(progress: Int, version: CorpusVersion)] = [
        (.min, CorpusVersion(bundle: "4.0.3", code: 403)), (100, CorpusVersion(bundle: "4.1.0", code: 410)),
        (550, CorpusVersion(bundle: "4.2.0", code: 420)),
    ]

    /// The version on a device that installs each release `lag` thousandths of the period later; nil for no updates.
    func version(at time: Int, lag: Int?) -> CorpusVersion {
        let passed = lag.map { progress(at: time) - $0 } ?? Int.min
        return Self.releases.last { $0.progress <= passed }?.version ?? Self.releases[0].version
    }
}

/// A version of the app: the bundle version on Apple platforms, the version code on Android.
struct CorpusVersion: Sendable {
    let bundle: String
    let code: Int
}
