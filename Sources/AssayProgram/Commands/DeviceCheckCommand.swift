import ArgumentParser
import Assay
import AssayCore
import Foundation

struct DeviceCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devicecheck", abstract: "Bans the device of a key or an account by Apple's DeviceCheck.",
        subcommands: [DeviceCheckBanCommand.self, DeviceCheckUnbanCommand.self])
}

struct DeviceCheckBanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ban",
        abstract: "Blocks a key, a device ID or an account, so that its device is banned at its next visit.",
        discussion: """
            Only a device token that the device has just made reaches its bits. So this sets a block in the ledger, which rejects the \
            subject from now on. Under a policy with `deviceCheck: { blocks: ban }`, the next device token that comes with evidence \
            of the subject sets the bit. From then on the device is banned with every key, account and installation.

            Exit status: 0, 3 an outage or no ledger.
            """)

    @OptionGroup var subject: SubjectOptions

    @Option(help: ArgumentHelp("The reason, which verdicts on the subject show.", valueName: "text"))
    var reason: String

    @OptionGroup var change: LedgerChangeOptions

    func validate() throws { try subject.validateDevice(reason: reason) }

    func run() async throws {
        try await DeviceBan(subject: subject.subject, reason: reason, change: change).set()
    }
}

struct DeviceCheckUnbanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unban",
        abstract: "Lifts the ban of the device of a key, a device ID or an account at its next visit.",
        discussion: """
            Removes a block of the subject, and allows it the check \(CheckID.deviceCheckBan.name). The next device token that comes \
            with evidence of the subject clears the bit, or lets a count of enrolments begin anew. The allowance ends after 30 days \
            unless --for or --until says otherwise.

            Exit status: 0, 3 an outage or no ledger.
            """)

    @OptionGroup var subject: SubjectOptions

    @Option(help: ArgumentHelp("The reason, for the audit trail.", valueName: "text"))
    var reason: String

    @OptionGroup var end: StandingEndOptions
    @OptionGroup var change: LedgerChangeOptions

    func validate() throws { try subject.validateDevice(reason: reason) }

    func run() async throws {
        try await DeviceBan(subject: subject.subject, reason: reason, change: change).lift(.deviceCheckBan, end)
    }
}

/// A ban of the device of a subject: a standing in the ledger, which reaches the device at its next visit.
struct DeviceBan {
    let subject: LedgerSubject
    let reason: String
    let change: LedgerChangeOptions

    /// Blocks the subject.
    func set() async throws {
        let block = LedgerBlock(subject: subject, reason: reason, since: Date(), until: nil, setBy: change.author.name)
        try change.confirm("This blocks \(subject) in \(change.url.description), and bans its device")
        try await LedgerBlockCommand.set(block, in: change.url, creating: false)
    }

    /// Removes a block of the subject, and allows it the check that rejects banned devices.
    func lift(_ check: CheckID, _ end: StandingEndOptions) async throws {
        let now = Date()
        let allowance = LedgerAllowance(
            subject: subject, checks: [check], reason: reason, since: now,
            until: end.time(from: now, standard: LedgerAllowance.standardLifetime), setBy: change.author.name)
        try change.confirm("This lifts the ban of the device of \(subject) in \(change.url.description)")
        let removed = try await change.url.withLedger(creating: false) { open in
            let removed = try await open.ledger.removeStanding(of: subject, by: change.author.name, at: now)
            _ = try await open.ledger.allow(allowance)
            return removed
        }
        try Console.print(escaping: "\(subject): \(allowance.sentence)")
        if let removed { try Console.print(escaping: "it replaces: \(removed.sentence)") }
    }
}

extension SubjectOptions {
    /// Throws for a subject that has no device, or no reason.
    fileprivate func validateDevice(reason: String) throws {
        try validate(reason: reason)
        guard subject.kind != .issuer else { throw ValidationError("an issuer has no device") }
    }
}
