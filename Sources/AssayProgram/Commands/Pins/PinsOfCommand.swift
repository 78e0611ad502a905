import ArgumentParser
import Assay
import AssayCore
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
              assay pins of new-certificate.pem

            Different leaves are several servers, or a network in between that intercepts TLS. A leaf changes most often; a \
            holder of the key of a pinned authority can issue for your domain.

            --json prints one object for each address, or one for the file: host and address, or file; chain with pin, \
            notBefore, notAfter, daysLeft, subject, issuer and selfIssued; or error with code and message.

            Exit status: 0, 1 an address presents nothing or another leaf, 2 a file that cannot be read, 64 bad arguments.
            """)

    @Argument(
        help: "A server, HOST or HOST:PORT; or a file, PEM or DER. A file of this name comes first.",
        completion: .file())
    var source: String

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var others: OtherAddressOption
    @OptionGroup var probe: ProbeOptions

    func run() async throws {
        let now = Date()
        if source == "-" || FileManager.default.fileExists(atPath: source) { return try show(file: source, at: now) }
        guard let host = HostArgument(source) else {
            throw CommandFailure(
                .usage, "there is no file \(source.excerpt), and it is no host; expected HOST, HOST:PORT or a file")
        }
        let question = HostQuestion(name: host.name, port: host.port ?? probe.port, others: others.addresses)
        let views = try await probe.ask([question])[0]
        if json {
            for view in views { try Console.print(PinTable.json(of: view, host: host.name, at: now)) }
        } else {
            try show(views, at: now)
        }
        let leaves = Set(views.compactMap { $0.certificates?.first?.pin.text })
        guard leaves.count == 1, views.allSatisfy({ $0.certificates != nil }) else {
            throw CommandFailure(
                .rejected,
                leaves.count > 1
                    ? "\(host.name): the addresses present \(leaves.count) different leaves: several servers, or a network that "
                        + "intercepts TLS" : nil)
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
    private func show(_ views: [HostView], at now: Date) throws {
        var shown: [(chain: [PresentedCertificate], addresses: [String])] = []
        for view in views {
            switch view.chain {
            case .success(let chain):
                let address = view.address ?? ""
                if let index = shown.firstIndex(where: { $0.chain == chain }) {
                    shown[index].addresses.append(address)
                } else {
                    shown.append((chain, [address]))
                }
            case .failure(let error): Console.complain("error: \(view.address ?? source): \(error)")
            }
        }
        for (index, entry) in shown.enumerated() {
            if index > 0 { try Console.print("") }
            try Console.print(escaping: entry.addresses.joined(separator: ", "))
            try Console.print(table: PinTable.rows(of: entry.chain, at: now, first: "leaf"))
        }
    }
}

/// Certificates with their pins, in rows and in JSON.
enum PinTable {
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

    static func json(of view: HostView, host: String, at now: Date) -> String {
        var object = JSONObject()
        object.add("host", text: host)
        if let address = view.address { object.add("address", text: address) }
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
