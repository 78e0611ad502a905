import FoundationEssentials

/// Where the console gets the recent verdicts that refused or only noted a failure.
protocol RefusalSource: Sendable {
    /// The recent ones, the last one first.
    ///
    /// - Parameters:
    ///   - app: of this app alone; nil for all.
    ///   - check: with this failed check alone; nil for all.
    func refusals(app: String?, check: String?, limit: Int) -> [ConsoleRefusal]
}

/// A recent verdict, without evidence.
struct ConsoleRefusal: Sendable {
    let at: Date
    /// The ID of the request in the log.
    let request: String
    let app: String?
    let kind: String
    let outcome: String
    /// The checks that failed or were annotated.
    let checks: [(name: String, code: String?, detail: String?)]
}

/// No verdicts are kept.
struct EmptyRefusals: RefusalSource {
    func refusals(app: String?, check: String?, limit: Int) -> [ConsoleRefusal] { [] }
}

/// A folder of captured evidence, without what is in it.
struct ConsoleCapture: Sendable {
    let folder: String
    let files: Int
    let bytes: Int
}
