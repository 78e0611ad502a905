import ArgumentParser
import Assay
import AssayCore
import Foundation

struct ChallengeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "challenge", abstract: "Issues single-use challenges.", subcommands: [ChallengeIssueCommand.self])
}

struct ChallengeIssueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issue",
        abstract: "Issues a challenge that can be used once.",
        discussion: """
            Prints 33 random bytes as base64url, 44 characters, and nothing else. For approov.proof it prints 16 bytes, \
            22 characters, which is a nonce. A ledger that does not exist is created. With --policy, an app that the policy does \
            not have is refused.

            The kind of evidence is the field purpose of --json and of POST /v1/challenges. --for is the former name of --kind.

              assay challenge issue --app shop-ios --kind app-attest.assertion \\
                --policy policy.yaml
            """)

    @Option(help: "The policy's app that may use the challenge.")
    var app: String

    @Option(
        name: [.customLong("kind"), .customLong("for")],
        help: ArgumentHelp(
            "The kind of evidence that may use it.\(purposes.first.map { " (default: \($0))" } ?? "")",
            valueName: "kind"),
        completion: .list(ChallengeIssueCommand.purposes.map(\.name)), transform: ChallengeIssueCommand.purpose)
    var purpose = ChallengeIssueCommand.purposes.first ?? EvidenceKind("")

    @Option(
        help: ArgumentHelp("How long it can be used, up to 1d: 90s, 5m, 12h. (default: 5m)", valueName: "duration"),
        transform: TimeArgument.duration)
    var ttl: Double = Verifier.challengeLifetime

    @Option(
        help: ArgumentHelp("The ledger: \(LedgerURL.allowed). Without it the user's own.", valueName: "url"),
        completion: .ledger,
        transform: { try LedgerURL($0) })
    var ledger: LedgerURL?

    @Option(help: "A policy, to see that it has the app.", completion: .yaml)
    var policy: String?

    @Flag(help: "Print a JSON object.")
    var json = false

    /// The kinds of evidence that consume a challenge.
    static var purposes: [EvidenceKind] { EngineRegistry.current.challengeKinds }

    func validate() throws {
        guard !app.isEmpty else { throw ValidationError("--app needs a name") }
        guard Verifier.challengeLifetimes.contains(ttl) else {
            throw ValidationError("--ttl is 1s to 1d, found \(Int(ttl)) s")
        }
    }

    func run() async throws {
        if let policy { try requireApp(in: policy) }
        let url = ledger ?? .standard()
        if url == .memory {
            Console.note(
                "memory: forgets the challenge when this command ends; only challenge: caller can make use of it")
        }
        let now = Date()
        let challenge = IssuedChallenge.random(app: app, for: purpose, validFor: ttl, at: now)
        try await url.withLedger(creating: true) { open in
            try await open.ledger.issue(challenge, at: now)
        }
        guard json else { return try Console.print(challenge.text) }
        try Console.print(json: [
            "challenge": challenge.text, "app": app, "purpose": purpose.name, "issuedAt": challenge.issuedAt,
            "expiresAt": challenge.expiresAt,
        ])
    }

    private func requireApp(in path: String) throws(CommandFailure) {
        let policy = try PolicyArgument.read(path)
        guard let app = policy.apps.first(where: { $0.name == app }) else {
            let names = policy.apps.map(\.name)
            throw CommandFailure(
                .unreadable,
                "\(path) has no app \(app.excerpt); it has \(names.joined(separator: ", "))"
                    + Nearest.advice(for: app, among: names))
        }
        let engine = EngineRegistry.current.engine(for: purpose)
        guard let isCallers = engine?.leavesChallengesToCaller(of: purpose, in: app) else {
            throw CommandFailure(.unreadable, "\(path) says nothing on \(purpose) of app \(app.name)")
        }
        if isCallers {
            Console.note(
                "\(path): the policy of app \(app.name) leaves challenges for \(purpose) to the caller, so that no ledger will "
                    + "consume this one")
        }
    }

    private static func purpose(_ text: String) throws -> EvidenceKind {
        let fitting = purposes.filter { $0.name == text || $0.name.hasSuffix(".\(text)") }
        guard fitting.count <= 1 else {
            let names = fitting.map(\.name).joined(separator: " or ")
            throw ValidationError("several kinds end in \(text.excerpt): write \(names)")
        }
        guard let kind = fitting.first else {
            throw ValidationError(
                "allowed are \(purposes.map(\.name).joined(separator: ", ")), or the last part of one"
                    + Nearest.advice(for: text, among: purposes.map(\.name)))
        }
        return kind
    }
}
