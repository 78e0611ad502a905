import ArgumentParser
import AssayCore
import Foundation

/// `assay ledger create`: creates the tables of a ledger in PostgreSQL.
struct LedgerCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Makes the tables of a ledger in PostgreSQL, and grants a server's role what it needs.",
        discussion: """
            Run it as a role that may create the schema, by default assay: schema=NAME in the URL names another one. A ledger \
            that exists stays as it is. The password comes from PGPASSWORD or a password file.

            Exit status: 0 done, 3 an outage, or a schema that holds something else, 64 bad arguments.
            """)

    @OptionGroup var options: PostgreSQLOptions

    @Option(
        name: .customLong("grant-to"),
        help: ArgumentHelp(
            "The role of the servers: it may read and write entries, and own nothing.", valueName: "role"))
    var role: String?

    func run() async throws {
        let connector = try options.connector()
        let isNew: Bool
        do throws(LedgerOutage) {
            isNew = try await connector.create(options.url, grantingTo: role)
        } catch {
            throw CommandFailure(error)
        }
        let granted = role.map { "; role \($0) may use it" } ?? ""
        try Console.print(
            Terminal(STDOUT_FILENO).printable(
                "\(options.url) \(isNew ? "is a new ledger" : "is a ledger already")\(granted)"))
    }
}

/// `assay ledger upgrade`: upgrades the tables of a ledger in PostgreSQL to this version.
struct LedgerUpgradeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade",
        abstract: "Brings the tables of a ledger in PostgreSQL to this program's version.",
        discussion: """
            Run it as the owner of the tables. Servers of the version before work on meanwhile. A ledger in SQLite is brought up \
            when it is opened.

            Exit status: 0 done, 3 an outage or no ledger, 64 bad arguments.
            """)

    @OptionGroup var options: PostgreSQLOptions

    func run() async throws {
        let connector = try options.connector()
        let versions: (from: Int, to: Int)
        do throws(LedgerOutage) {
            versions = try await connector.upgrade(options.url)
        } catch {
            throw CommandFailure(error)
        }
        try Console.print(
            Terminal(STDOUT_FILENO).printable(
                versions.from == versions.to
                    ? "\(options.url) is of version \(versions.to) already"
                    : "\(options.url) is of version \(versions.to) now, and was of version \(versions.from)"))
    }
}

/// The PostgreSQL ledger that a command creates or upgrades.
struct PostgreSQLOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The ledger: postgresql://[user@]host[:port]/database.", valueName: "url"),
        transform: PostgreSQLOptions.read)
    var ledger: LedgerURL

    private static func read(_ text: String) throws -> LedgerURL {
        let url = try LedgerURL(text)
        guard case .postgresql = url else {
            throw ValidationError("a ledger in SQLite needs no tables made; name one with postgresql://...")
        }
        return url
    }

    /// The URL.
    var url: String { ledger.description }

    /// The connector that opens ledgers in PostgreSQL.
    func connector() throws(CommandFailure) -> any PostgreSQLConnector {
        guard let connector = LedgerURL.connector else {
            throw CommandFailure(.usage, "this program was built without libpq")
        }
        return connector
    }
}
