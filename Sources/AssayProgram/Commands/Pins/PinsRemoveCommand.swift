import ArgumentParser
import Assay
import AssayCore
import AssayPrimitives

struct PinsRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a domain, or pins of a domain.",
        discussion: """
            With --pin, removes these pins, and the domain must fit those that are left. The last pin is not removed alone: apps \
            would connect to any server. Remove the domain, or add it with --none. After a breach, remove the pin at once.

            Exit status: 0, 1 nothing was changed: there is no such domain or pin, or the domain does not fit, 3 an outage, 64 bad \
            arguments, or the answer was not yes.
            """)

    @Argument(help: "The domain.")
    var domain: String

    @Option(help: ArgumentHelp("A pin. May be given several times.", valueName: "pin"), transform: PinsAddCommand.pin)
    var pin: [Pin] = []

    @OptionGroup var change: PinChange

    func validate() throws { _ = try PinsAddCommand.name(domain) }

    func run() async throws {
        let name = try PinsAddCommand.name(domain)
        let (pins, place) = (pin, change.options.url.description)
        try await change.make(isCreating: false) { (set) throws(CommandFailure) in
            guard var entry = set[name] else {
                let advice = Nearest.advice(for: name, among: set.domains.map(\.name))
                throw CommandFailure(.rejected, "\(place) has no domain \(name)\(advice)")
            }
            guard !pins.isEmpty else {
                _ = set.remove(name)
                return
            }
            if let unknown = pins.first(where: { pin in !entry.pins.contains { $0.isSameKey(as: pin) } }) {
                throw CommandFailure(.rejected, "\(name) has no pin \(unknown.text)")
            }
            entry.pins.removeAll { own in pins.contains { $0.isSameKey(as: own) } }
            guard !entry.pins.isEmpty else {
                throw CommandFailure(
                    .rejected,
                    "nothing was changed: \(name) would be without a pin; remove the domain, or add a pin first")
            }
            do throws(DecodeError) { try set.set(entry) } catch {
                throw CommandFailure(.usage, "\(name): \(error.message)")
            }
        }
    }
}
