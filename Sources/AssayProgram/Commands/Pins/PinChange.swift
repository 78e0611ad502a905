import ArgumentParser
import Assay
import AssayCore
import Foundation

/// A change of the pins of a ledger: shown, checked against what the domains present, confirmed, and stored with entries of the
/// audit trail.
struct PinChange: ParsableArguments {
    @OptionGroup var probe: ProbeOptions
    @OptionGroup var author: OperatorOption
    @OptionGroup var confirmation: ConfirmationOption
    @OptionGroup var options: LedgerOptions

    /// - Parameters:
    ///   - others: addresses to ask besides those of the resolver.
    ///   - isCreating: whether to create a ledger that does not exist.
    ///   - change: changes a set. It runs on the set that is shown, and again on the stored one: another operator may have
    ///     changed that meanwhile.
    func make(
        others: [String] = [], isCreating: Bool = true, _ change: (inout PinSet) throws(CommandFailure) -> Void
    ) async throws {
        let url = options.url
        let former = try await url.withLedger(creating: isCreating) { open in
            try await LedgerRegister<PinSet>(in: open.ledger).content()
        }
        var set = former
        try change(&set)
        let changed = Self.names(of: set, differingFrom: former)
        guard !changed.isEmpty else { return Console.note("nothing changes: the ledger has these pins already") }
        for name in changed { try Console.print(escaping: Self.line(of: name, in: set, before: former)) }

        let now = Date()
        // Pins of * count for all domains without their own.
        let asked = set.domains.map(\.name).filter { changed.contains($0) || changed.contains(PinSet.everyDomain) }
        let hosts = try await PinsCheckCommand.check(set, names: asked, with: probe, others: others, at: now)
        for host in hosts { for line in host.lines(at: now) { Console.complain(line) } }
        let isGood = hosts.allSatisfy(\.isGood)
        if !isGood {
            Console.complain(
                "warning: do not go on, unless only this network intercepts TLS or keeps the servers from answering")
            guard confirmation.yes || isatty(STDIN_FILENO) == 1 else {
                throw CommandFailure(
                    .rejected, "nothing was changed: a domain does not fit its pins; --yes changes them all the same")
            }
        }
        try confirmation.require("This changes which servers all apps connect to, as \(url.description) says")
        try await store(change, at: now)
        try Console.print(escaping: "the pins of \(url.description) are changed")
    }

    private func store(_ change: (inout PinSet) throws(CommandFailure) -> Void, at now: Date) async throws {
        let author = author.name
        try await options.url.withLedger(creating: false) { open in
            try await LedgerRegister<PinSet>(in: open.ledger).change(at: now) { (set) throws(CommandFailure) in
                let former = set
                try change(&set)
                let entries = Self.names(of: set, differingFrom: former).map { name in
                    LedgerChange(
                        at: now, operatorName: author, action: .changePins, subject: "domain \(name)",
                        detail: set[name].map { "pins \($0.json)" } ?? "removed")
                }
                return ((), entries)
            }.get()
        }
    }

    /// The names of domains that one set has and the other has not, or has with other pins.
    static func names(of set: PinSet, differingFrom former: PinSet) -> [String] {
        set.domains.filter { former[$0.name] != $0 }.map(\.name)
            + former.domains.filter { set[$0.name] == nil }.map(\.name)
    }

    private static func line(of name: String, in set: PinSet, before former: PinSet) -> String {
        let old = former[name]?.json
        guard let new = set[name]?.json else { return "\(name): removed; it had \(old ?? "[]")" }
        return "\(name): \(new)" + (old.map { "; it had \($0)" } ?? ", new")
    }
}
