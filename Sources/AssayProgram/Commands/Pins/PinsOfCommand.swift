import ArgumentParser
import Assay
import AssayPlatforms
import AssayPrimitives
import Foundation

struct PinsOfCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "of",
        abstract: "Prints the pins of a server or of a file of certificates.",
        discussion: """
            For a server, asks every address that this machine's resolver gives, and each --address. Prints the pins of the chain \
            that each presents, the leaf first. For a file, prints those of its certificates in order: so the pin of a new \
            certificate is known before a server has it.

              assay pins of api.example.com
              assay pins of api.example.com --address 203.0.113.7
              assay pins of api.example.com --resolver 192.0.2.53
              assay pins of new-certificate.pem

            Different leaves are several servers, or a network in between that intercepts TLS. With --resolver, the addresses \
            that each resolver gives are shown side by side, and a leaf to which only one of them leads is marked. A leaf changes most often; a \
            holder of the key of a pinned authority can issue for your domain.

            --json prints one object for each address, or one for the file: host and address, or file; chain with pin, \
            notBefore, notAfter, daysLeft, subject, issuer and selfIssued; or error with code and message. With --resolver also \
            resolvers, and onlyBy if a leaf is marked.

            Exit status: 0, 1 an address presents nothing or another leaf, 2 a file that cannot be read, 64 bad arguments.
            """)

    @Argument(
        help: "A server, HOST or HOST:PORT; or a file, PEM or DER. A file of this name comes first.",
        completion: .file())
    var source: String

    @Flag(help: "Print JSON.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "A DNS server to ask for the addresses too, over TCP: ADDRESS or ADDRESS:PORT.", valueName: "address"))
    var resolver: String?

    @OptionGroup var others: OtherAddressOption
    @OptionGroup var probe: ProbeOptions

    func validate() throws {
        guard let resolver, nameServer == nil else { return }
        throw ValidationError(
            "--resolver takes an IPv4 or IPv6 address, with or without a port, found \(resolver.excerpt)")
    }

    private var nameServer: NameServer? {
        resolver.flatMap { HostArgument($0) }.flatMap { NameServer(host: $0.name, port: $0.port ?? 53) }
    }

    func run() async throws {
        let now = Date()
        if source == "-" || FileManager.default.fileExists(atPath: source) { return try show(file: source, at: now) }
        guard let host = HostArgument(source) else {
            throw CommandFailure(
                .usage, "there is no file \(source.excerpt), and it is no host; expected HOST, HOST:PORT or a file")
        }
        guard nameServer == nil || IPAddress(host.name) == nil else {
            throw CommandFailure(.usage, "--resolver is for a name, and \(host.name) is an address")
        }
        let question = HostQuestion(
            name: host.name, port: host.port ?? probe.port, others: others.addresses, nameServer: nameServer)
        let views = try await probe.ask([question])[0]
        let resolvers = nameServer.map { PinTable.Resolvers(of: views, nameServer: $0) }
        if json {
            for view in views {
                try Console.print(PinTable.json(of: view, host: host.name, resolvers, at: now))
            }
        } else {
            try show(views, resolvers, at: now)
        }
        let leaves = Set(views.compactMap { $0.certificates?.first?.pin.text })
        guard leaves.count == 1, views.allSatisfy({ $0.certificates != nil }) else {
            throw CommandFailure(
                .rejected,
                leaves.count > 1
                    ? "\(host.name): the addresses present \(leaves.count) different leaves"
                        + (views.contains { resolvers?.only(of: $0) != nil } ? ", some by one resolver alone" : "")
                        + ": several servers, or a network that intercepts TLS" : nil)
        }
    }

    private func show(file: String, at now: Date) throws {
        let bytes = try InputFile.read(file, limit: InputLimits.policy)
        let chain: [PresentedCertificate]
        do throws(DecodeError) { chain = try PresentedCertificate.read(file: bytes) } catch {
            throw CommandFailure(.unreadable, "\(InputFile.name(file)): \(error)")
        }
        guard json else { return try Console.print(table: PinTable.rows(of: chain, at: now, first: "1")) }
        var object = JSONObject()
        object.add("file", text: file)
        object.add("chain", raw: PinTable.json(of: chain, at: now))
        try Console.print(object.text)
    }

    /// Shows each different chain once.
    private func show(_ views: [HostView], _ resolvers: PinTable.Resolvers?, at now: Date) throws {
        var shown: [(chain: [PresentedCertificate], views: [HostView])] = []
        for view in views {
            switch view.chain {
            case .success(let chain):
                if let index = shown.firstIndex(where: { $0.chain == chain }) {
                    shown[index].views.append(view)
                } else {
                    shown.append((chain, [view]))
                }
            case .failure(let error): Console.complain("error: \(view.address ?? source): \(error)")
            }
        }
        for (index, entry) in shown.enumerated() {
            if index > 0 { try Console.print("") }
            if let resolvers {
                try Console.print(table: resolvers.rows(of: entry.views))
            } else {
                try Console.print(escaping: entry.views.compactMap(\.address).joined(separator: ", "))
            }
            try Console.print(table: PinTable.rows(of: entry.chain, at: now, first: "leaf"))
        }
    }
}

/// Certificates with their pins, in rows and in JSON.
enum PinTable {
    /// The resolver of this machine beside another one: which addresses each gives, and which leaves only one leads to.
    struct Resolvers {
        private let names: [(source: AddressSource, name: String)]
        private let leaves: [AddressSource: Set<String>]

        init(of views: [HostView], nameServer: NameServer) {
            names = [(.system, "system"), (.nameServer, nameServer.text)]
            var leaves: [AddressSource: Set<String>] = [:]
            for view in views {
                for source in view.sources {
                    if let leaf = view.certificates?.first { leaves[source, default: []].insert(leaf.pin.text) }
                }
            }
            self.leaves = leaves
        }

        /// The resolvers that give an address.
        func names(of view: HostView) -> [String] { names.filter { view.sources.contains($0.source) }.map(\.name) }

        /// The one resolver that leads to the leaf of a view; nil if both do, or one of them to none at all.
        func only(of view: HostView) -> String? {
            guard let leaf = view.certificates?.first?.pin.text, names.allSatisfy({ leaves[$0.source] != nil }) else {
                return nil
            }
            let found = names.filter { leaves[$0.source]?.contains(leaf) == true }
            return found.count == 1 ? found.first?.name : nil
        }

        /// A row for each resolver with its addresses, and one for those that neither gives.
        func rows(of views: [HostView]) -> [[String]] {
            func row(_ title: String, _ views: [HostView], _ note: String) -> [String] {
                let addresses = views.compactMap(\.address)
                return [title, addresses.isEmpty ? "-" : addresses.joined(separator: ", "), note]
            }
            let own = names.map { source, name in
                let given = views.filter { $0.sources.contains(source) }
                return row(name, given, given.contains { only(of: $0) == name } ? "only this resolver" : "")
            }
            let others = views.filter { names(of: $0).isEmpty }
            let rows = own + (others.isEmpty ? [] : [row("--address", others, "")])
            return rows.allSatisfy { $0[2].isEmpty } ? rows.map { Array($0.dropLast()) } : rows
        }
    }

    /// - Parameter first: what the first certificate is called; the others are counted from 2.
    static func rows(of chain: [PresentedCertificate], at now: Date, first: String) -> [[String]] {
        let rows = chain.enumerated().map { index, certificate in
            [
                index == 0 ? first : "\(index + 1)", certificate.pin.text, RFC3339.format(certificate.notAfter),
                "\(certificate.daysLeft(at: now))",
                certificate.subject + (certificate.isSelfIssued ? " (issued by itself)" : ""),
            ]
        }
        return [["", "pin", "ends", "days left", "subject"]] + rows
    }

    static func json(of view: HostView, host: String, _ resolvers: Resolvers?, at now: Date) -> String {
        var object = JSONObject()
        object.add("host", text: host)
        if let address = view.address { object.add("address", text: address) }
        if let resolvers {
            object.add("resolvers", raw: JSONText.array(resolvers.names(of: view).map { JSONText.string($0) }))
            if let only = resolvers.only(of: view) { object.add("onlyBy", text: only) }
        }
        switch view.chain {
        case .success(let chain): object.add("chain", raw: json(of: chain, at: now))
        case .failure(let error): object.add("error", raw: json(of: error))
        }
        return object.text
    }

    static func json(of error: TLSProbeError) -> String {
        var object = JSONObject()
        object.add("code", text: error.code)
        object.add("message", text: error.description)
        return object.text
    }

    static func json(of chain: [PresentedCertificate], at now: Date) -> String {
        JSONText.array(
            chain.map { certificate in
                var object = JSONObject()
                object.add("pin", text: certificate.pin.text)
                object.add("notBefore", text: RFC3339.format(certificate.notBefore))
                object.add("notAfter", text: RFC3339.format(certificate.notAfter))
                object.add("daysLeft", raw: "\(certificate.daysLeft(at: now))")
                object.add("subject", text: certificate.subject)
                object.add("issuer", text: certificate.issuer)
                object.add("selfIssued", raw: "\(certificate.isSelfIssued)")
                return object.text
            })
    }
}
