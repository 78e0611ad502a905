import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import AssayService
import Foundation

struct RemoteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remote",
        abstract: "Reads and changes the ledger of a running service from another machine.",
        discussion: """
            Asks the listener of operators in the name of the operator whose token is given. Answers are JSON, one item on a line.

              assay remote show --account mallory --address 10.0.0.7:8081 \\
                --certificate admin.pem --token file:support.token
              assay remote block --account mallory --reason "stolen cards" \\
                --address 10.0.0.7:8081 --certificate admin.pem --token env:TOKEN
              assay remote audit --service https://operators.example.com \\
                --token file:support.token

            A token in an environment variable must not be that of an admin: every program that the shell starts inherits it. The command \
            asks the service for the role of the token before, and does nothing for an admin.

            Exit status: 0, 1 there is no such entry, or the change is refused, 2 the service refuses, 3 no answer or an outage, \
            64 bad arguments.
            """,
        subcommands: [
            RemoteShowCommand.self, RemoteBlockCommand.self, RemoteUnblockCommand.self, RemoteAllowCommand.self,
            RemoteDisallowCommand.self, RemoteAuditCommand.self, RemoteKeysCommand.self, RemoteRetireCommand.self,
            RemotePolicyCommand.self,
        ])
}

private func remoteCommand(_ name: String, _ abstract: String) -> CommandConfiguration {
    CommandConfiguration(
        commandName: name, abstract: abstract, discussion: "Exit status: as `assay remote --help` says.")
}

/// The service that is asked, and what every answer has in common.
struct RemoteOptions: ParsableArguments {
    @OptionGroup var service: ServiceOptions

    @Option(help: ArgumentHelp("How long an answer may take.", valueName: "duration"))
    var timeout = "10s"

    /// A page of a thousand items, or a policy.
    private static let longestAnswer = 16 << 20

    func validate() throws { _ = try TimeArgument.duration(timeout) }

    /// The body of the answer to a request.
    func answer(_ method: String, _ path: String, body: String? = nil) async throws -> [UInt8] {
        try await requireNoAdminInEnvironment()
        return try await send(method, path, body)
    }

    /// Prints the answer to a request, one JSON object.
    func show(_ method: String, _ path: String, body: String? = nil) async throws {
        let bytes = try await answer(method, path, body: body)
        try Console.print(String(decoding: bytes, as: UTF8.self))
    }

    /// Prints the items of a list, with all its pages.
    ///
    /// - Parameter query: parameters and their values; those that are nil are left out.
    func list(_ path: String, _ query: KeyValuePairs<String, String?> = [:], isPaged: Bool = true) async throws {
        try await requireNoAdminInEnvironment()
        var cursor: String?
        repeat {
            let page: [(String, String?)] = isPaged ? [("limit", "1000"), ("cursor", cursor)] : []
            let given = (query.map { ($0.key, $0.value) } + page).compactMap { name, value in
                value.map { "\(name)=\($0.queryEncoded)" }
            }
            let bytes = try await send("GET", path + (given.isEmpty ? "" : "?" + given.joined(separator: "&")), nil)
            guard let answer = try? JSONReader.readObject(bytes, limit: Self.longestAnswer),
                case .array(let items)? = answer["items"]?.content
            else { throw CommandFailure(.outage, "the answer is not one of assay serve") }
            for item in items {
                var line: [UInt8] = []
                RecordJSON.append(item.content, to: &line)
                try Console.print(String(decoding: line, as: UTF8.self))
            }
            cursor = if case .text(let next)? = answer["next"]?.content { next } else { nil }
        } while cursor != nil
    }

    private func requireNoAdminInEnvironment() async throws {
        guard let token = service.token, token.hasPrefix("env:") else { return }
        let bytes = try await send("GET", "/v1/admin/self", nil)
        let role = (try? JSONReader.readObject(bytes, limit: Self.longestAnswer))?["role"]?.content
        guard case .text(let name)? = role, name == OperatorRole.admin.rawValue else { return }
        throw CommandFailure(
            .usage,
            "--token \(token): the token is that of an admin, and nothing was done; an environment variable may have the token of a "
                + "viewer or an operator (assay operators add --role operator), and a file any: --token file:PATH")
    }

    private func send(_ method: String, _ path: String, _ body: String?) async throws -> [UInt8] {
        let answer = try await service.send(
            method, path, body: body, within: TimeArgument.duration(timeout), atMost: Self.longestAnswer)
        guard answer.status == 200 else {
            let status: ExitStatus =
                switch answer.status {
                case 503: .outage
                case 404, 409: .rejected
                default: .unreadable
                }
            throw CommandFailure(
                status,
                "\(answer.address): the service answered \(answer.status)\(answer.detail.map { ": \($0)" } ?? "")"
                    + ServiceOptions.advice(for: answer.status))
        }
        return answer.body
    }
}

extension SubjectOptions {
    /// The members `kind` and `name` of a request's body.
    fileprivate var members: JSONObject {
        var object = JSONObject()
        object.add("kind", text: subject.kind.rawValue)
        object.add("name", text: subject.name)
        return object
    }
}

extension StandingEndOptions {
    /// Adds the end, if one is given.
    fileprivate func add(to object: inout JSONObject) {
        if case .never? = until { return object.add("until", text: "never") }
        if let end = time(from: Date(), standard: nil) { object.add("until", text: RFC3339.format(end)) }
    }
}

struct RemoteShowCommand: AsyncParsableCommand {
    static let configuration = remoteCommand(
        "show", "Prints a subject with its keys and standing; without one, counts.")

    @Option(
        name: .customLong("key-id"), parsing: .unconditional,
        help: ArgumentHelp("A key ID, base64.", valueName: "key-id"))
    var keyID: String?
    @OptionGroup var named: NamedSubjectOptions
    @OptionGroup var remote: RemoteOptions

    func validate() throws {
        guard (keyID == nil ? 0 : 1) + named.given.count <= 1 else {
            throw ValidationError("--key-id, --device, --account and --issuer exclude each other")
        }
    }

    func run() async throws {
        let subject = keyID.map { ("key", $0) } ?? named.given.first.map { ($0.kind.rawValue, $0.name) }
        try await remote.show("GET", "/v1/admin/subjects" + (subject.map { "?\($0)=\($1.queryEncoded)" } ?? ""))
    }
}

struct RemoteBlockCommand: AsyncParsableCommand {
    static let configuration = remoteCommand("block", "Blocks a key, a device, an account or an issuer.")

    @OptionGroup var subject: SubjectOptions
    @Option(help: ArgumentHelp("The reason, which verdicts on the subject show.", valueName: "text"))
    var reason: String
    @OptionGroup var end: StandingEndOptions
    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var remote: RemoteOptions

    func validate() throws { try subject.validate(reason: reason) }

    func run() async throws {
        try confirmation.require("This blocks \(subject.subject)")
        var body = subject.members
        body.add("reason", text: reason)
        end.add(to: &body)
        try await remote.show("POST", "/v1/admin/subjects/block", body: body.text)
    }
}

/// The options of the commands that remove a block or an allowance.
struct RemoteRemoval: ParsableArguments {
    @OptionGroup var subject: SubjectOptions
    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var remote: RemoteOptions

    func run(_ verb: String, _ standing: String) async throws {
        try confirmation.require("This removes the \(standing) of \(subject.subject)")
        try await remote.show("POST", "/v1/admin/subjects/\(verb)", body: subject.members.text)
    }
}

struct RemoteUnblockCommand: AsyncParsableCommand {
    static let configuration = remoteCommand("unblock", "Removes the block of a subject. An allowance stays.")

    @OptionGroup var removal: RemoteRemoval

    func run() async throws { try await removal.run("unblock", "block") }
}

struct RemoteDisallowCommand: AsyncParsableCommand {
    static let configuration = remoteCommand("disallow", "Removes the allowance of a subject. A block stays.")

    @OptionGroup var removal: RemoteRemoval

    func run() async throws { try await removal.run("disallow", "allowance") }
}

struct RemoteAllowCommand: AsyncParsableCommand {
    static let configuration = remoteCommand("allow", "Allows a subject what some policy checks refuse.")

    @OptionGroup var subject: SubjectOptions
    @Option(
        name: .customLong("check"),
        help: ArgumentHelp("A policy check to excuse; it can be given several times.", valueName: "name"))
    var checks: [String] = []
    @Option(help: ArgumentHelp("The reason of the allowance.", valueName: "text"))
    var reason: String
    @OptionGroup var end: StandingEndOptions
    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var remote: RemoteOptions

    func validate() throws { try subject.validate(reason: reason) }

    func run() async throws {
        try confirmation.require("This excuses failures of policy checks for \(subject.subject)")
        var body = subject.members
        body.add("reason", text: reason)
        if !checks.isEmpty { body.add("checks", raw: JSONText.array(checks.map { JSONText.string($0) })) }
        end.add(to: &body)
        try await remote.show("POST", "/v1/admin/subjects/allow", body: body.text)
    }
}

struct RemoteAuditCommand: AsyncParsableCommand {
    static let configuration = remoteCommand("audit", "Prints the audit trail, the first entry first.")

    @Option(help: ArgumentHelp("Only from this time on (RFC 3339).", valueName: "time"), transform: TimeArgument.time)
    var since: Date?
    @Option(help: ArgumentHelp("Only changes by this operator.", valueName: "name"))
    var `operator`: String?
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        try await remote.list(
            "/v1/admin/audit", ["since": since.map { RFC3339.format($0) }, "operator": `operator`])
    }
}

struct RemoteKeysCommand: AsyncParsableCommand {
    static let configuration = remoteCommand("keys", "Prints the keys of the key store, without secrets.")

    @OptionGroup var remote: RemoteOptions

    func run() async throws { try await remote.list("/v1/admin/keys", isPaged: false) }
}

struct RemoteRetireCommand: AsyncParsableCommand {
    static let configuration = remoteCommand("retire", "Retires a key of the key store, now or at a time.")

    @Argument(help: "The name of the key.")
    var name: String
    @Option(help: ArgumentHelp("When (RFC 3339).", valueName: "time"), transform: TimeArgument.time)
    var at: Date?
    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        try confirmation.require("This retires the key \(name)")
        var body = JSONObject()
        if let at { body.add("at", text: RFC3339.format(at)) }
        try await remote.show("POST", "/v1/admin/keys/\(name.queryEncoded)/retire", body: body.text)
    }
}

struct RemotePolicyCommand: AsyncParsableCommand {
    static let configuration = remoteCommand("policy", "Prints the policy in force with all defaults, YAML.")

    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        let bytes = try await remote.answer("GET", "/v1/admin/policy")
        try Console.write(bytes)
    }
}
