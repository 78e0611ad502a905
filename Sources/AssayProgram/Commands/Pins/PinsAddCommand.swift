import ArgumentParser
import Assay
import AssayPlatforms
import AssayPrimitives
import Foundation

struct PinsAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds a domain, or pins to a domain.",
        discussion: """
            Without --pin and --none, adds the pin of the leaf that the domain presents. All its addresses, and each --address, must \
            present one leaf: a network that intercepts TLS would otherwise choose the pin. With --pin, such as a pin of a \
            certificate that is not in use yet, the domain must fit all its pins afterwards.

              assay pins add api.example.com
              assay pins add api.example.com --address 203.0.113.7
              assay pins add api.example.com --pin PIN --not-after 2027-01-31T00:00:00Z

            A pin that the domain has gets the window that is given. Asks for confirmation as `pins set` does.

            Exit status: 0, 1 nothing was changed: a domain does not fit or presents several leaves, 3 an outage, 64 bad \
            arguments, or the answer was not yes.
            """)

    @Argument(help: "The domain; * for those without their own pins.")
    var domain: String

    @Option(help: ArgumentHelp("A pin. May be given several times.", valueName: "pin"), transform: PinsAddCommand.pin)
    var pin: [Pin] = []

    @Flag(help: "Add the domain without a pin.")
    var none = false

    @Flag(help: "Mark the domain: its tokens are encrypted.")
    var jwe = false

    @Option(
        help: ArgumentHelp("When the pins begin to count (RFC 3339).", valueName: "time"), transform: TimeArgument.time)
    var notBefore: Date?

    @Option(
        help: ArgumentHelp("The last second in which they count (RFC 3339).", valueName: "time"),
        transform: TimeArgument.time)
    var notAfter: Date?

    @OptionGroup var others: OtherAddressOption
    @OptionGroup var change: PinChange

    func validate() throws {
        _ = try Self.name(domain)
        guard !none || pin.isEmpty else { throw ValidationError("--none and --pin exclude each other") }
        guard domain != PinSet.everyDomain || none || !pin.isEmpty else {
            throw ValidationError("* is no server that presents a leaf: give --pin")
        }
        if let notBefore, let notAfter, notAfter < notBefore {
            throw ValidationError("--not-after is before --not-before")
        }
    }

    func run() async throws {
        let name = try Self.name(domain)
        var pins = pin
        if pins.isEmpty, !none { pins = [try await leaf(of: name)] }
        for index in pins.indices { (pins[index].notBefore, pins[index].notAfter) = (notBefore, notAfter) }
        let (added, isJWE) = (pins, jwe)
        try await change.make(others: others.addresses) { (set) throws(CommandFailure) in
            var entry = set[name] ?? PinSet.Domain(name: name)
            for pin in added {
                if let index = entry.pins.firstIndex(where: { $0.isSameKey(as: pin) }) {
                    entry.pins[index] = pin
                } else {
                    entry.pins.append(pin)
                }
            }
            if isJWE { entry.isJWE = true }
            do throws(DecodeError) { try set.set(entry) } catch {
                throw CommandFailure(.usage, "\(name): \(error.message)")
            }
        }
    }

    /// The pin of the one leaf that all addresses present.
    private func leaf(of name: String) async throws -> Pin {
        let question = HostQuestion(name: name, port: change.probe.port, others: others.addresses)
        var first: (pin: Pin, address: String)?
        for view in try await change.probe.ask([question])[0] {
            let address = view.address ?? name
            let pin: Pin
            switch view.chain {
            case .success(let chain):
                guard let leaf = chain.first else { continue }
                pin = leaf.pin
            case .failure(let error): throw CommandFailure(.rejected, "nothing was changed: \(address): \(error)")
            }
            if let first, !first.pin.isSameKey(as: pin) {
                throw CommandFailure(
                    .rejected,
                    "nothing was changed: the leaf at \(first.address) has pin \(first.pin.text), the one at \(address) pin "
                        + "\(pin.text): several servers, or a network that intercepts TLS; choose with --pin")
            }
            first = first ?? (pin, address)
        }
        guard let first else { throw CommandFailure(.rejected, "nothing was changed: \(name) presents no leaf") }
        return first.pin
    }

    static func pin(_ text: String) throws -> Pin {
        do throws(DecodeError) { return try Pin(text) } catch { throw ValidationError(error.message) }
    }

    static func name(_ text: String) throws -> String {
        do throws(DecodeError) { return try PinSet.name(text) } catch {
            throw ValidationError("\(text.excerpt): \(error.message)")
        }
    }
}
