import ArgumentParser
import AssayCore
import AssayLedgerPostgreSQL
import Foundation

/// `assay ledger create`: creates a ledger in a file, or the tables of one in PostgreSQL.
struct LedgerCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Makes a new ledger: a file, or the tables in PostgreSQL with the rights of a server's role.",
        discussion: """
            A ledger that exists stays as it is. Run it as the user of the service, because only that user can read the new file; or, \
            for PostgreSQL, as a role that may create the schema, by default assay: schema=NAME in the URL names another one. The \
            password comes from PGPASSWORD or a password file.

            Exit status: 0 done, 3 an outage, or a schema that holds something else, 64 bad arguments.
            """)

    @Option(
        help: ArgumentHelp("The ledger: \(LedgerURL.durableForm).", valueName: "url"), transform: LedgerOptions.durable)
    var ledger: LedgerURL

    @Option(
        name: .customLong("grant-to"),
        help: ArgumentHelp(
            "The role of the servers: it may read and write entries, and own nothing.", valueName: "role"))
    var role: String?

    func validate() throws {
        if case .sqlite = ledger, role != nil {
            throw ValidationError("--grant-to is for PostgreSQL: the mode of a file decides who may use it")
        }
    }

    func run() async throws {
        let isNew: Bool
        if case .sqlite(let path) = ledger {
            isNew = try await ledger.createFile(path)
        } else {
            do { isNew = try await PostgreSQLLedger.create(ledger.description, grantingTo: role) } catch {
                throw CommandFailure(opening: error)
            }
        }
        let granted = role.map { "; role \($0) may use it" } ?? ""
        try Console.print(
            Terminal(STDOUT_FILENO).printable(
                "\(ledger.description) \(isNew ? "is a new ledger" : "is a ledger already")\(granted)"))
    }
}
