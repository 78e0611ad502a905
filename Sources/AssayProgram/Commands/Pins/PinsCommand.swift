import ArgumentParser
import Assay
import AssayPlatforms
import AssayPrimitives

struct PinsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pins",
        abstract: "Public key pins of your servers: shows, keeps and checks them.",
        discussion: """
            A pin is the SHA-256 of a certificate's public key in base64. An app with pins connects to a domain only if a certificate \
            that the server presents has one of them. The ledger keeps the pins of all domains; `list --json` prints them as apps and \
            other tools read them:

              {"api.example.com": ["PIN", "PIN2"], "cdn.example.com": []}

            The pins under * count for domains without their own. The entry jwe marks a domain and is no pin. In place of a \
            pin, {"pin": "PIN", "notBefore": TIME, "notAfter": TIME} counts only in this window.

            Apps get the pins in a signed configuration with their tokens, if the policy says `tokens.configuration: pins`.

            No command trusts what a server presents: they compare keys.
            """,
        subcommands: [
            PinsOfCommand.self, PinsCheckCommand.self, PinsListCommand.self, PinsSetCommand.self, PinsAddCommand.self,
            PinsRemoveCommand.self, PinsConfigurationCommand.self, PinsForceCommand.self, PinsModeCommand.self,
            PinsModesCommand.self,
        ])
}

/// How servers are asked.
struct ProbeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The TCP port of servers.", valueName: "port"))
    var port = 443

    @Option(
        help: ArgumentHelp(
            "How long the resolver, and then the TLS handshake, may take for each address.", valueName: "duration"))
    var timeout = "4s"

    func validate() throws {
        guard (1...65_535).contains(port) else { throw ValidationError("--port takes 1 to 65535, found \(port)") }
        _ = try TimeArgument.duration(timeout)
    }

    /// Asks all addresses of hosts. Returns the views of each host, in order.
    func ask(_ hosts: [HostQuestion]) async throws -> [[HostView]] {
        await TLSProbe(timeout: try TimeArgument.duration(timeout)).views(of: hosts)
    }
}

/// Addresses besides those that the resolver of this machine gives.
struct OtherAddressOption: ParsableArguments {
    @Option(
        name: .customLong("address"),
        help: ArgumentHelp(
            "An IP address to ask as well, such as one that a resolver elsewhere gives. May be given several times.",
            valueName: "address"))
    var addresses: [String] = []

    func validate() throws {
        if let wrong = addresses.first(where: { IPAddress($0) == nil }) {
            throw ValidationError("--address takes an IPv4 or IPv6 address without a port, found \(wrong.excerpt)")
        }
    }
}

/// A host on the command line: a name or an address, with or without a port.
struct HostArgument {
    let name: String
    /// Nil if none is given.
    let port: Int?

    /// Reads `HOST`, `HOST:PORT`, `ADDRESS` or `[ADDRESS]:PORT`. Nil for other text.
    init?(_ text: String) {
        if IPAddress(text) != nil {
            (name, port) = (text, nil)
            return
        }
        guard let colon = text.lastIndex(of: ":") else {
            guard Self.isName(text) else { return nil }
            (name, port) = (text, nil)
            return
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard let port = Int(text[text.index(after: colon)...]), (1...65_535).contains(port),
            IPAddress(String(host)) != nil || Self.isName(String(host))
        else { return nil }
        (name, self.port) = (String(host), port)
    }

    private static func isName(_ text: String) -> Bool {
        text != PinSet.everyDomain && (try? PinSet.name(text)) != nil
    }
}
