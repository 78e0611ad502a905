import ArgumentParser
import Assay
import AssayCore
import AssayPlatforms
import AssayPrimitives
import Foundation
import PlayIntegrity

struct PlayIntegrityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "playintegrity", abstract: "Bans Android devices by Google's device recall.",
        subcommands: [PlayIntegrityBanCommand.self, PlayIntegrityUnbanCommand.self, PlayIntegrityWriteCommand.self])
}

struct PlayIntegrityBanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ban",
        abstract: "Blocks an account, so that its Android device is banned at its next visit.",
        discussion: """
            Only a token of the device reaches its bits. So this sets a block in the ledger, which rejects the account from now on. \
            Under a policy with `deviceRecall: { reject: [bitFirst], blocks: ban }`, the next token that comes with the account sets \
            the first bit of `reject`. From then on the device is banned with every account and installation of the app.

            Exit status: 0, 3 an outage or no ledger.
            """)

    @OptionGroup var account: BannedAccountOptions
    @OptionGroup var change: LedgerChangeOptions

    func run() async throws { try await account.ban(change).set() }
}

struct PlayIntegrityUnbanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unban",
        abstract: "Lifts the ban of the Android device of an account at its next visit.",
        discussion: """
            Removes a block of the account, and allows it the check \(CheckID.playIntegrityDeviceRecall.name). The next token that \
            comes with the account clears the bit. The allowance ends after 30 days unless --for or --until says otherwise.

            Exit status: 0, 3 an outage or no ledger.
            """)

    @OptionGroup var account: BannedAccountOptions
    @OptionGroup var end: StandingEndOptions
    @OptionGroup var change: LedgerChangeOptions

    func run() async throws { try await account.ban(change).lift(.playIntegrityDeviceRecall, end) }
}

/// The account whose device is banned, and the reason. Evidence of Play Integrity names no key and no device.
struct BannedAccountOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The name of the account in the backend.", valueName: "name"))
    var account: String

    @Option(help: ArgumentHelp("The reason, for verdicts and the audit trail.", valueName: "text"))
    var reason: String

    func validate() throws {
        guard !account.isEmpty else { throw ValidationError("an account has a name") }
        guard !reason.isEmpty else { throw ValidationError("--reason needs a text") }
        if let objection = subject.objectionToName { throw ValidationError(objection) }
    }

    func ban(_ change: LedgerChangeOptions) -> DeviceBan {
        DeviceBan(subject: subject, reason: reason, change: change)
    }

    private var subject: LedgerSubject { LedgerSubject(.account, account) }
}

struct PlayIntegrityWriteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Changes the bits of the device that made a token, at once.",
        discussion: """
            Sends an integrity token of the app, at most 14 days old, with the bits to Google. Verdicts show them within 30 seconds. \
            No ledger is involved, and no audit trail: `ban` and `unban` have both.

            Exit status: 0, 1 when Google refuses the token, 2 an unreadable file, 3 an outage.
            """)

    @Argument(help: ArgumentHelp("The token; - is standard input.", valueName: "file"), completion: .file())
    var file: String

    @Option(help: ArgumentHelp("The package name of the app.", valueName: "name"), transform: Self.packageName)
    var packageName: String

    @Option(help: ArgumentHelp("A bit to set: \(Self.names). It can be given several times.", valueName: "bit"))
    var set: [DeviceRecallBit] = []

    @Option(help: ArgumentHelp("A bit to clear. It can be given several times.", valueName: "bit"))
    var clear: [DeviceRecallBit] = []

    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var google: GoogleOptions

    func validate() throws {
        guard google.serviceAccount != nil else {
            throw ValidationError("--service-account is needed: Google writes bits for the app's own account alone")
        }
        let all = set + clear
        guard !all.isEmpty, Set(all).count == all.count else {
            throw ValidationError("name each bit once with --set or --clear: \(Self.names)")
        }
    }

    func run() async throws {
        guard let client = try google.client() else { return }
        let text = String(decoding: try InputFile.read(file, limit: InputLimits.joseText), as: UTF8.self)
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        var bits = DeviceRecallBits<Bool>()
        for bit in set { bits[bit] = true }
        for bit in clear { bits[bit] = false }
        let changes = set.map { "\($0.rawValue) is set" } + clear.map { "\($0.rawValue) is cleared" }
        let change = changes.joined(separator: ", ")
        try confirmation.require("This changes bits of the device at Google: \(change)")
        try await finishing(with: { await client.shutdown() }) {
            do throws(DeviceRecallError) {
                try await client.writeDeviceRecall(token: token, packageName: packageName, values: bits)
            } catch {
                switch error {
                case .outage(let outage): throw CommandFailure(.outage, "\(outage)")
                default: throw CommandFailure(.rejected, "\(error)")
                }
            }
        }
        try Console.print("\(packageName): \(change)")
    }

    private static let names = DeviceRecallBit.allCases.map(\.rawValue).joined(separator: ", ")

    private static func packageName(_ text: String) throws -> String {
        if let objection = PackageName.objection(to: text) { throw ValidationError(objection) }
        return text
    }
}

extension DeviceRecallBit: ExpressibleByArgument {}
