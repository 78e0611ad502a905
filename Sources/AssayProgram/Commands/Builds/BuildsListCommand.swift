import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import AssayService
import Foundation

struct BuildsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the admitted builds, one a line.",
        discussion: """
            An ended admission is not listed without --all, and forgotten after 30 days. The objects of --json have the \
            fields build, name if any, reason, admittedAt, admittedBy if known, and until if there is an end.

            Exit status: 0, 3 an outage or no ledger.
            """)

    @Option(help: ArgumentHelp("Only the builds of this App ID or package name.", valueName: "name"))
    var app: String?

    @Flag(help: "List also admissions that have ended.")
    var all = false

    @Flag(help: "Print one JSON object per build.")
    var json = false

    @OptionGroup var options: LedgerOptions

    func run() async throws {
        let now = Date()
        let stored = try await options.url.withLedger(creating: false) { open in
            try await LedgerRegister<AdmittedBuilds>(in: open.ledger).content()
        }
        let builds = stored.all.filter { admission in
            (all || admission.isInForce(at: now)) && (app.map { admission.build.app.isByteEqual(to: $0) } ?? true)
        }
        if json { return try builds.forEach { try Console.print($0.json) } }
        guard !builds.isEmpty else {
            return Console.note("\(options.url.description) admits no builds\(app.map { " of \($0.excerpt)" } ?? "")")
        }
        try Console.print(table: BuildsTable.rows(builds, at: now))
    }
}

struct BuildsRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a build, or old builds of an app: evidence from them is no longer accepted.",
        discussion: """
            Tokens that were issued for it count until they end. With --matching and --older-than, all builds of the app are \
            removed that were admitted last before that time; the command lists them and asks. Without a terminal this needs --yes.

              assay builds remove android:com.example.shop@41
              assay builds remove --matching com.example.shop --older-than 30d

            Exit status: 0, 1 when there is no such build, 3 an outage or no ledger.
            """)

    @Argument(help: "The build.", transform: BuildArgument.build)
    var build: AppBuild?

    @Option(help: ArgumentHelp("The App ID or the package name of the builds to remove.", valueName: "name"))
    var matching: String?

    @Option(
        help: ArgumentHelp("How long ago they were admitted last, such as 30d.", valueName: "duration"),
        transform: TimeArgument.duration)
    var olderThan: Double?

    @OptionGroup var change: LedgerChangeOptions

    func validate() throws {
        guard (build == nil) == (matching != nil), (matching == nil) == (olderThan == nil) else {
            throw ValidationError("either a build, or --matching with --older-than is needed")
        }
    }

    func run() async throws {
        if let matching, let olderThan { return try await removeMany(of: matching, olderThan) }
        guard let build else { return }
        try change.confirm("This removes the admission of \(build) from \(change.url.description)")
        let result = try await change.url.withLedger(creating: false) { open in
            try await LedgerRegister<AdmittedBuilds>(in: open.ledger).remove(
                build, by: change.author.name, mayRemovePermanent: true, at: Date())
        }
        do { _ = try result.get() } catch { throw CommandFailure(.rejected, error.description) }
        try Console.print(escaping: "\(build) is no longer admitted")
    }

    private func removeMany(of app: String, _ age: Double) async throws {
        let now = Date()
        let time = now.addingTimeInterval(-age)
        let removed = try await change.url.withLedger(creating: false) { open in
            let register = LedgerRegister<AdmittedBuilds>(in: open.ledger)
            let matching = try await register.content().builds(of: app, admittedBefore: time)
            guard !matching.isEmpty else {
                throw CommandFailure(
                    .rejected, "no build of \(app.excerpt) was admitted last before \(RFC3339.format(time))")
            }
            try Console.print(table: BuildsTable.rows(matching, at: now))
            guard change.confirmation.yes || isatty(STDIN_FILENO) == 1 else {
                throw CommandFailure(
                    .usage, "nothing was changed: removing \(matching.count) builds without a terminal needs --yes")
            }
            try change.confirm("This removes these \(matching.count) builds from \(change.url.description)")
            let result = try await register.remove(
                of: app, admittedBefore: time, count: matching.count, by: change.author.name, at: Date())
            do throws(BuildRefusal) { return try result.get() } catch {
                throw CommandFailure(.rejected, error.description)
            }
        }
        try Console.print(
            escaping: "\(removed.count) build\(removed.count == 1 ? " is" : "s are") no longer admitted")
    }
}

private enum BuildsTable {
    static func rows(_ builds: [AdmittedBuild], at now: Date) -> [[String]] {
        [["build", "name", "until", "admitted", "by", "reason"]]
            + builds.map { admission in
                let end = admission.until.map { end in
                    RFC3339.format(end) + (admission.isInForce(at: now) ? "" : " (ended)")
                }
                return [
                    admission.build.description, admission.name ?? "-", end ?? "-",
                    RFC3339.format(admission.admittedAt), admission.admittedBy ?? "-", admission.reason,
                ]
            }
    }
}
