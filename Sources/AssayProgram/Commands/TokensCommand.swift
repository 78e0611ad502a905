import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives
import AssayService
import AssayTokens
import Foundation

struct TokensCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens",
        abstract: "Issues tokens after an attestation, and rotates and prints the keys that sign them.",
        discussion: """
            `assay serve` makes the keys itself when the policy has `tokens`. Tokens are verified by `assay verify --kind \
            assay.token`, and by any JWT library that finds the keys by discovery.
            """,
        subcommands: [
            TokensIssueCommand.self, TokensRotateCommand.self, TokensKeySetCommand.self, TokensDebugCommand.self,
        ])
}

struct TokensRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Makes the keys of tokens that are due, or a signing key at once.",
        discussion: """
            Without --at-once it makes what is due: the first key, the secret that hides subjects, and a day before the \
            signing key is 90 days old the next one, which signs when that day is over. Servers with one ledger may all do so.

            After a leak, --at-once makes a key that signs from now on; then `assay keys retire` ends the leaked one: its \
            tokens are refused at once by Assay, and by other services when they fetch the keys again, within ten minutes.

            Prints the names of the keys that were made. Exit status: 0, 3 an outage or no ledger, 64 bad arguments.
            """)

    @Flag(help: "Make a signing key that signs from now on.")
    var atOnce = false

    @OptionGroup var options: LedgerOptions
    @OptionGroup var masterKey: MasterKeyOption
    @OptionGroup var author: OperatorOption

    func run() async throws {
        let masterKey = try masterKey.read()
        let made = try await options.url.withLedger(creating: false) { open in
            let store = try open.keyStore(masterKey)
            return try await TokenKeyRotation(store).run(atOnce: atOnce, by: author.name, at: Date())
        }
        guard !made.isEmpty else { return Console.note("no key is due") }
        for name in made { try Console.print(name) }
    }
}

struct TokensKeySetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jwks",
        abstract: "Prints the published keys as a JSON Web Key Set.",
        discussion: "It is what `GET /.well-known/jwks.json` answers. Exit status: 0, 3 an outage or no ledger.")

    @Flag(help: "Print a line per key instead: its name, its use, when it begins to sign, and its ID.")
    var table = false

    @OptionGroup var options: LedgerOptions
    @OptionGroup var masterKey: MasterKeyOption

    func run() async throws {
        let masterKey = try masterKey.read()
        let now = Date()
        let schedule = try await options.url.withLedger(creating: false) { open in
            let store = try open.keyStore(masterKey)
            return TokenKeySchedule(try await store.keys(for: TokenKey.purpose), at: now)
        }
        guard table else { return try Console.print(schedule.keySet) }
        let rows =
            [["name", "use", "signs from", "key ID"]]
            + schedule.entries.map {
                [$0.name, $0.state.rawValue, RFC3339.format($0.signsFrom), $0.key.signer?.keyID ?? "-"]
            }
        try Console.print(table: rows)
    }
}

struct TokensIssueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issue",
        abstract: "Exchanges an evidence record for a token, as POST /v1/tokens does.",
        discussion: """
            FILE is one evidence record, made over the challenge that \
            `SHA-256("assay-token", challenge, audience, jkt)` gives, each followed by a line feed; several audiences are one \
            line, with a space between two. Prints the token of each audience on a line, or the verdict of rejected evidence \
            as JSON.

            Exit status: 0 issued, 1 rejected, 2 record or policy that cannot be read or allows no such token, 3 an outage, 64 \
            bad arguments.
            """)

    @Argument(help: "The record, and - for standard input.", completion: .file())
    var file: String

    @Option(help: "The policy.", completion: .yaml)
    var policy: String

    @Option(parsing: .unconditional, help: "The challenge as the ledger issued it.")
    var challenge: String

    @Option(name: .customLong("audience"), help: "For whom the token is. May be given several times.")
    var audiences: [String]

    @Option(parsing: .unconditional, help: "The thumbprint of the client's key (RFC 7638); a bearer token without it.")
    var jkt: String?

    @Option(help: "Claims of the app: the text of a JSON object, which the evidence covers.")
    var claims: String?

    @Flag(help: "The token is for one use.")
    var limitedUse = false

    @OptionGroup var options: LedgerOptions
    @OptionGroup var masterKey: MasterKeyOption

    func run() async throws {
        let policy = try PolicyArgument.read(policy)
        let masterKey = try masterKey.read()
        let bytes = try InputFile.read(file, limit: InputLimits.record)
        let record: EvidenceRecord
        switch RecordFile.read(bytes).first {
        case .success(let found): record = found
        case .failure(let error): throw CommandFailure(.unreadable, "\(InputFile.name(file)): \(error.error)")
        case nil: throw CommandFailure(.unreadable, "\(InputFile.name(file)): there is no record")
        }
        let request = TokenRequest(
            record: record, challenge: challenge, audiences: audiences, keyThumbprint: jkt, isLimitedUse: limitedUse,
            claims: claims)
        let answer = try await options.url.withLedger(creating: false) { open in
            let verifier = Verifier(
                policy: policy, ledger: open.ledger, keyStores: [try open.keyStore(masterKey)])
            do throws(VerificationError) { return try await verifier.issueToken(request, at: Date()) } catch {
                switch error {
                case .outage(let outage): throw CommandFailure(outage)
                case .record(let error): throw CommandFailure(.unreadable, "\(InputFile.name(file)): \(error)")
                case .request(let error): throw CommandFailure(.unreadable, error.message)
                }
            }
        }
        switch answer {
        case .issued(let grant, _), .decoy(let grant, _): try grant.tokens.forEach { try Console.print($0.text) }
        case .concealed(let grant, let error):
            try grant.tokens.forEach { try Console.print($0.text) }
            Console.note(
                "the token is one that no backend accepts, as the policy says refused: token: \(error.message)")
        case .rejected(let verdict):
            try Console.print(verdict.json(id: record.id))
            throw CommandFailure(.rejected)
        }
    }
}

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
