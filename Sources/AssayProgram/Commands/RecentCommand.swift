import ArgumentParser
import AssayPrimitives
import AssayService
import Foundation

struct RecentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recent",
        abstract: "Prints the last rejections of a running service, and a sample of its acceptances.",
        discussion: """
            One line for each verdict, the newest first: time, outcome, app, kind, the first failed check with its code, the key, device \
            or account, and the ID of the request. With --request or --record, each check that failed or was annotated, what it \
            means, where to look, and what the client can do. Outages, requests without a verdict and malformed records count as rejections.

              assay recent --config /etc/assay/serve.yaml
              assay recent --address 127.0.0.1:8081 --token file:viewer.token \\
                --key KEY-ID --since 10m
              assay recent --config /etc/assay/serve.yaml --request REQUEST-ID

            The service keeps them in memory: a restart loses them, and no other instance has them. It asks the listener of operators, as \
            `assay healthcheck` does. Reading needs a token with the role viewer or more, unless the listener is a unix socket.

            Exit status: 0 found, 1 nothing found, 2 the service refuses, or a configuration or a token cannot be read, 3 no answer, \
            64 bad arguments.
            """)

    @Option(help: "Only of this app.")
    var app: String?

    @Option(
        help: ArgumentHelp(
            "Only where this check failed or was annotated: its name, the first parts of it, or a code.",
            valueName: "check-or-code"))
    var check: String?

    @Option(help: "Only with this outcome.")
    var outcome: RecentVerdict.Outcome?

    @Option(parsing: .unconditional, help: ArgumentHelp("Only of this key, base64.", valueName: "key-id"))
    var key: String?

    @Option(help: ArgumentHelp("Only of this device.", valueName: "device-id"))
    var device: String?

    @Option(help: "Only of this account.")
    var account: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("Only records with this id, in full.", valueName: "id"))
    var record: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Only of this request, in full: X-Request-ID of the answer, or assay.requestId of the log.", valueName: "id"
        ))
    var request: String?

    @Option(
        help: ArgumentHelp(
            "Only from this time on (RFC 3339), or of the last length of time, such as 10m.", valueName: "time"),
        transform: Self.time)
    var since: Date?

    @Option(help: "How many at most, 1 to 1000.")
    var limit = 20

    @Flag(help: "Print the answer of the service, one JSON object, with the whole verdicts.")
    var json = false

    @OptionGroup var service: ServiceOptions

    @Option(help: ArgumentHelp("How long the answer may take.", valueName: "duration"))
    var timeout = "10s"

    /// A thousand of the longest verdicts.
    private static let longestAnswer = 64 << 20

    func validate() throws {
        _ = try TimeArgument.duration(timeout)
        guard (1...1000).contains(limit) else { throw ValidationError("--limit takes 1 to 1000, found \(limit)") }
        for (name, value) in filters where value?.isEmpty ?? false {
            throw ValidationError("--\(name) takes a value, found an empty one")
        }
    }

    private static func time(_ text: String) throws -> Date {
        if let seconds = try? TimeArgument.duration(text) { return Date(timeIntervalSinceNow: -seconds) }
        return try TimeArgument.time(text)
    }

    private var filters: KeyValuePairs<String, String?> {
        [
            "app": app, "check": check, "outcome": outcome?.rawValue, "key": key, "device": device,
            "account": account, "record": record, "request": request,
        ]
    }

    private var path: String {
        var query = filters.map { ($0.key, $0.value) }
        query += [("since", since.map { RFC3339.format($0) }), ("limit", "\(limit)")]
        let parts = query.compactMap { name, value in value.map { "\(name)=\($0.queryEncoded)" } }
        return "/v1/admin/recent?" + parts.joined(separator: "&")
    }

    func run() async throws {
        let answer = try await service.send(
            "GET", path, within: TimeArgument.duration(timeout), atMost: Self.longestAnswer)
        guard answer.status == 200 else {
            throw CommandFailure(
                answer.status == 503 ? .outage : .unreadable,
                "\(answer.address): the service answered \(answer.status)\(answer.detail.map { ": \($0)" } ?? "")"
                    + ServiceOptions.advice(for: answer.status))
        }
        let page: RecentPage
        do { page = try JSONDecoder().decode(RecentPage.self, from: Data(answer.body)) } catch {
            throw CommandFailure(.outage, "\(answer.address): the answer is not one of assay serve")
        }
        if json {
            try Console.write(answer.body)
        } else if request != nil || record != nil {
            let report = RecentReport(terminal: Terminal(STDOUT_FILENO))
            let texts = page.items.map { report.lines($0).joined(separator: "\n") }
            if !texts.isEmpty { try Console.print(texts.joined(separator: "\n\n")) }
        } else if !page.items.isEmpty {
            try Console.print(table: page.items.map(\.row))
        }
        guard !page.items.isEmpty else {
            throw CommandFailure(.rejected, "\(answer.address): nothing found; \(page.extent)")
        }
        if page.next != nil { Console.note("there are more: --limit, or a later --since") }
    }
}

extension RecentVerdict.Outcome: ExpressibleByArgument {}
