import ArgumentParser
import AssayCore
import AssayTokens
import Foundation

/// `assay tokens debug`: draws a debug token.
struct TokensDebugCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "debug",
        abstract: "Draws a debug token for simulators and CI, and prints it once.",
        discussion: """
            Standard output is the secret alone: assay_debug_ and 43 characters of base64url. Standard error has its entry for \
            `tokens.debugTokens` of the policy, with the SHA-256 hash. Nothing is stored. POST /v1/tokens/debug exchanges the \
            secret for tokens with `env: test`; remove the entry from the policy to revoke it.

            Exit status: 0, 64 bad arguments.
            """)

    @Argument(help: "The name of the debug token, which logs and tokens show: 1 to 64 letters, digits, -, . and _.")
    var name: String

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long it counts, at most 90d. (default: 30d)", valueName: "duration"),
        transform: TimeArgument.duration)
    var duration: Double?

    func validate() throws {
        if let objection = DebugToken.objection(toName: name) { throw ValidationError(objection) }
        guard duration ?? 0 <= DebugToken.longestWindow else { throw ValidationError("--for is at most 90d") }
    }

    func run() async throws {
        let secret = DebugToken.randomSecret()
        guard let hash = DebugToken.hash(of: secret) else {
            throw CommandFailure(.unreadable, "the random number generator gave no secret")
        }
        let from = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        let until = from.addingTimeInterval(duration ?? 30 * 86_400)
        try Console.print(secret)
        Console.note("this is a secret, and cannot be printed again; its entry in the policy:")
        let times = "from: \(RFC3339.format(from)), until: \(RFC3339.format(until))"
        Console.complain("- { name: \(name), sha256: \"\(hash)\", \(times) }")
    }
}
