import AssayCore
import Logging

/// A key of the configuration: its name in files, the environment and `--set`, its help and default, and how it is read.
package struct ServiceKey: Sendable {
    /// The path in a file, such as `limits.body`.
    package let path: String
    /// What it is for.
    package let help: String
    package let form: String
    /// What holds without it.
    package let standard: String
    let read: @Sendable (inout ServiceConfiguration, PolicyNode) throws(PolicyError) -> Void

    /// The environment variable: `ASSAY_LIMITS_BODY`. Nil for secrets: they have no variable of their own.
    package var variable: String? { isSource ? nil : variableName }

    /// The path as the name of a variable: each capital letter after a small one begins a word.
    var variableName: String {
        var name = "ASSAY_"
        var previous = "."
        for character in path.map(String.init) {
            let isCapital = character != character.lowercased()
            if isCapital, previous == previous.lowercased(), previous != "." { name += "_" }
            name += character == "." ? "_" : character.uppercased()
            previous = character
        }
        return name
    }

    private var isSource: Bool { form == Self.source }
    private static let source = "file:PATH or env:NAME"

    /// All keys, in the order of documentation.
    package static let all = ofService + ofCapture

    private static let ofService: [ServiceKey] = [
        ServiceKey(
            path: "policy", help: "The policy. Read again on SIGHUP and when the file changes.", form: "PATH",
            standard: "required"
        ) { (service, node) throws(PolicyError) in
            guard case .mapping = node.content else {
                service.policy = try node.text()
                return
            }
            let members = try node.members(["path", "guard"])
            guard let path = members["path"] else { throw node.missing("path", "the policy file") }
            service.policy = try path.text()
            if let word = members["guard"] {
                service.policyGuard = try word.word(ServiceConfiguration.PolicyGuard.self)
            }
        },
        word(
            "policy.guard", \.policyGuard, ServiceConfiguration.PolicyGuard.self,
            "Whether a policy that may accept more than the one in force is refused until the next start. In a file: `policy: { path: "
                + "policy.yaml, guard: refuse-weaker }`."),
        optional("ledger", \.ledger, "URL", "The ledger.", standard: "the user's own"),
        optional(
            "masterKey", \.masterKey, source,
            "The master key of the key store in the ledger. On further lines others, which only open.",
            standard: "no key store"
        ),
        optional(
            "serviceAccount", \.serviceAccount, source, "The service account in whose name Google is asked.",
            standard: "Google is not asked"),
        optional(
            "googleURL", \.googleURL, "URL", "Where the Play Integrity API is, such as a proxy.",
            standard: "https://playintegrity.googleapis.com"),
        optional(
            "statusListURL", \.statusListURL, "URL",
            "Where the list of revoked attestation certificates is, for policies with statusList: service.",
            standard: "Google's, https://android.googleapis.com/attestation/status"),
        optional(
            "appAttestURL", \.appAttestURL, "URL",
            "Where Apple's server of App Attest receipts is, such as a proxy, for builds of all environments.",
            standard: "Apple's, of the build's environment"),
        optional(
            "deviceCheckURL", \.deviceCheckURL, "URL",
            "Where DeviceCheck is, such as a proxy, for builds of all environments.",
            standard: "Apple's, of the build's environment"),
        ServiceKey(
            path: "listen", help: "The public listener.", form: ListenAddress.forms, standard: "127.0.0.1:8080"
        ) { (service, node) throws(PolicyError) in service.listen = try address(node) },
        ServiceKey(
            path: "admin", help: "The listener of operators, apart from the public one.",
            form: "\(ListenAddress.forms), or none", standard: "127.0.0.1:8081"
        ) { (service, node) throws(PolicyError) in
            service.admin = try node.text().isByteEqual(to: "none") ? nil : address(node)
        },
        flag(
            "console", \.console, "Whether the listener of operators has the console, a site for browsers.",
            ("on", "off")),
        ServiceKey(
            path: "metrics",
            help: "A further listener with health and metrics alone, where Prometheus cannot use that of operators.",
            form: "\(ListenAddress.forms), or none", standard: "none"
        ) { (service, node) throws(PolicyError) in
            service.metrics = try node.text().isByteEqual(to: "none") ? nil : address(node)
        },
        flag("open", \.isOpen, "Whether listeners on loopback addresses take requests without a token."),
        list(
            "allowedHosts", \.allowedHosts, "a host name, without a port",
            "Further values of Host on loopback addresses and unix sockets, where requests need no token, besides localhost and IP "
                + "addresses; several with commas."
        ) { (node) throws(PolicyError) in
            let name = try node.text()
            guard !name.isEmpty, name.utf8.allSatisfy(isOfName) else {
                throw node.error("expected a host name without a port, such as assay.example.com, found \(node.found)")
            }
            return name
        },
        optional(
            "tls.certificate", \.certificate, "PATH", "The certificate chain of the public listener, PEM.",
            standard: "no TLS"),
        optional(
            "tls.privateKey", \.privateKey, "PATH", "The private key of the certificate, PEM.", standard: "no TLS"),
        optional(
            "tls.clientAuthorities", \.clientAuthorities, "PATH",
            "The authorities of client certificates, PEM. A change takes effect after a restart.",
            standard: "clients need no certificate"),
        optional(
            "adminTLS.certificate", \.adminCertificate, "PATH",
            "The certificate chain of the listeners of operators and of metrics, where they have TCP addresses, PEM.",
            standard: "no TLS"),
        optional(
            "adminTLS.privateKey", \.adminPrivateKey, "PATH", "The private key of that certificate, PEM.",
            standard: "no TLS"),
        word(
            "authorize.dialect", \.authorize.dialect, AuthorizationRules.Dialect.self,
            "The gateway that asks for forward auth.", standard: "no forward auth"),
        list(
            "authorize.peers", \.authorize.peers, "unix, or an address or range such as 10.0.0.0/8",
            "Who may ask; several with commas."
        ) { (node) throws(PolicyError) in
            guard let peers = try TrustedPeers(node.text()) else {
                throw node.error("expected unix, an address, or a range such as 10.0.0.0/8, found \(node.found)")
            }
            guard !peers.arePublic else {
                throw node.error(
                    "a peer can claim any client request, so list only gateways; found \(node.found), the largest "
                        + "ranges allowed are 10.0.0.0/8 and fc00::/7")
            }
            return peers
        },
        list(
            "authorize.origins", \.authorize.origins, "an origin such as https://api.example.com",
            "The origins of the target URIs that apps sign; several with commas."
        ) { (node) throws(PolicyError) in try node.text() },
        word(
            "authorize.bodies", \.authorize.bodies, AuthorizationRules.Bodies.self,
            "Whether the gateway sends the client's bodies."),
        word(
            "authorize.outageStatus", \.authorize.outageStatus, AuthorizationRules.OutageStatus.self,
            "The answer in an outage, for gateways that know only 401 and 403."),
        flag("authorize.verdict", \.authorize.sendsVerdict, "Whether the field Assay-Verdict has the whole verdict."),
        ServiceKey(
            path: "failover.primary",
            help: "The first instance: while it cannot be reached, this one issues tokens without evidence.",
            form: "URL",
            standard: "this is no failover instance"
        ) { (service, node) throws(PolicyError) in
            let text = try node.text()
            guard ["https://", "http://127.0.0.1", "http://[::1]"].contains(where: text.hasPrefix), !text.hasSuffix("/")
            else {
                throw node.error(
                    "expected the https URL below which the first instance is reached, without a slash at its end, found "
                        + node.found)
            }
            service.failover.primary = text
        },
        duration(
            "failover.interval", \.failover.interval, "The time from one probe of the first instance to the next."),
        number(
            "failover.failures", \.failover.failures, 1...100,
            "How many probes in a row must fail before tokens are issued."),
        duration(
            "failover.limit", \.failover.limit,
            "How long tokens are issued without evidence at most, until the first instance was reached again.",
            upTo: 7 * 86_400),
        size("limits.body", \.limits.body, 1024...(32 << 20), "A body, but not a stream of records."),
        size("limits.line", \.limits.line, 1024...(32 << 20), "A line of a stream of records."),
        size("limits.headers", \.limits.headers, 1024...(80 << 10), "The request line and all fields of a request."),
        number(
            "limits.connections", \.limits.connections, 1...1_000_000,
            "Connections of a listener. Another one takes the place of the one that is idle for longest; if none is idle, it gets "
                + "503."),
        number(
            "limits.requests", \.limits.requests, 1...100_000, "Requests at the same time. Others get 503."),
        number(
            "limits.challenges", \.limits.challenges, 0...100_000,
            "Challenges for attestations of App Attest a second and app, on average, that this process issues; 0 for no limit. "
                + "Others get 429."),
        duration(
            "limits.bodyTime", \.limits.bodyTime, "How long a body may take to arrive; in a stream, each line."),
        duration(
            "limits.idleTime", \.limits.idleTime,
            "How long a connection may be idle, also within the head of a request, and how long a client may take nothing of an "
                + "answer."),
        number(
            "recent.rejections", \.recent.rejections, 0...100_000,
            "The last rejections, outages and malformed records kept in memory for `assay recent`; 0 keeps no verdicts."
        ),
        number(
            "recent.acceptances", \.recent.acceptances, 0...100_000,
            "The last sampled acceptances that are kept beside them."),
        number("recent.sampling", \.recent.sampling, 1...1_000_000, "One in so many acceptances is sampled."),
        number("retryAfter", \.retryAfter, 0...86_400, "Retry-After of answers with 503, in seconds."),
        duration(
            "shutdown.delay", \.shutdownDelay, "How long requests are accepted after the service has become unready.",
            mayBeZero: true),
        duration("shutdown.timeout", \.shutdownTimeout, "How long requests may take to finish after that."),
        ServiceKey(
            path: "logLevel", help: "The least level that is logged.",
            form: Logger.Level.allCases.map(\.rawValue).joined(separator: ", "), standard: "info"
        ) { (service, node) throws(PolicyError) in service.logLevel = try node.word(Logger.Level.self) },
        word(
            "logFormat", \.logFormat, LogFormat.self, "Whether entries of the log are JSON or text for a person.",
            standard: "text on a terminal, json elsewhere"),
    ]

    typealias Field<Value> = any (WritableKeyPath<ServiceConfiguration, Value> & Sendable)

    static func optional(
        _ path: String, _ field: Field<String?>, _ form: String,
        _ help: String,
        standard: String
    ) -> ServiceKey {
        ServiceKey(path: path, help: help, form: form, standard: standard) { (service, node) throws(PolicyError) in
            service[keyPath: field] = try node.text()
        }
    }

    private typealias Word = CaseIterable & RawRepresentable<String> & SendableMetatype

    private static func word<Value: Word>(
        _ path: String, _ field: Field<Value>, _: Value.Type, _ help: String
    ) -> ServiceKey {
        ServiceKey(
            path: path, help: help, form: Value.allCases.map(\.rawValue).joined(separator: ", "),
            standard: ServiceConfiguration()[keyPath: field].rawValue
        ) { (service, node) throws(PolicyError) in service[keyPath: field] = try node.word(Value.self) }
    }

    private static func word<Value: Word>(
        _ path: String, _ field: Field<Value?>, _: Value.Type, _ help: String, standard: String
    ) -> ServiceKey {
        ServiceKey(
            path: path, help: help, form: Value.allCases.map(\.rawValue).joined(separator: ", "), standard: standard
        ) { (service, node) throws(PolicyError) in service[keyPath: field] = try node.word(Value.self) }
    }

    /// A list in a file; in the environment and on the command line, values with commas between them.
    static func list<Element>(
        _ path: String, _ field: Field<[Element]>, _ form: String, _ help: String,
        read: @escaping @Sendable (PolicyNode) throws(PolicyError) -> Element
    ) -> ServiceKey {
        ServiceKey(path: path, help: help, form: form, standard: "none") { (service, node) throws(PolicyError) in
            guard case .scalar(let text) = node.content else {
                var elements: [Element] = []
                for element in try node.elements() { elements.append(try read(element)) }
                service[keyPath: field] = elements
                return
            }
            var elements: [Element] = []
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                let text = part.trimmingPrefix { $0 == " " }
                elements.append(
                    try read(PolicyNode(.scalar(String(text)), path: node.path, line: node.line, file: node.file)))
            }
            service[keyPath: field] = elements
        }
    }

    private static func number(
        _ path: String, _ field: Field<Int>, _ range: ClosedRange<Int>,
        _ help: String
    ) -> ServiceKey {
        ServiceKey(
            path: path, help: help, form: "\(range.lowerBound) to \(range.upperBound)",
            standard: "\(ServiceConfiguration()[keyPath: field])"
        ) { (service, node) throws(PolicyError) in
            guard let value = try Int(node.text()), range.contains(value) else {
                throw node.error(
                    "expected a number from \(range.lowerBound) to \(range.upperBound), found \(node.found)")
            }
            service[keyPath: field] = value
        }
    }

    static func size(
        _ path: String, _ field: Field<Int>, _ range: ClosedRange<Int>,
        _ help: String
    ) -> ServiceKey {
        ServiceKey(
            path: path, help: help,
            form: "a size from \(SizeText.text(range.lowerBound)) to \(SizeText.text(range.upperBound))",
            standard: SizeText.text(ServiceConfiguration()[keyPath: field])
        ) { (service, node) throws(PolicyError) in
            guard let value = try SizeText.bytes(node.text()), range.contains(value) else {
                throw node.error(
                    "expected a size from \(SizeText.text(range.lowerBound)) to \(SizeText.text(range.upperBound)), such as "
                        + "512KiB, found \(node.found)")
            }
            service[keyPath: field] = value
        }
    }

    static func duration(
        _ path: String, _ field: Field<Double>, _ help: String,
        mayBeZero: Bool = false, upTo limit: Double = 3600
    ) -> ServiceKey {
        let standard = ServiceConfiguration()[keyPath: field]
        let form = "a length of time up to \(PolicyNode.text(ofSeconds: limit))"
        return ServiceKey(
            path: path, help: help, form: form,
            standard: PolicyNode.text(ofSeconds: standard)
        ) { (service, node) throws(PolicyError) in
            let value = try node.duration()
            guard value <= limit, value > 0 || mayBeZero else {
                throw node.error("expected \(form)\(mayBeZero ? "" : ", and more than none"), found \(node.found)")
            }
            service[keyPath: field] = value
        }
    }

    private static func address(_ node: PolicyNode) throws(PolicyError) -> ListenAddress {
        let text = try node.text()
        guard let address = ListenAddress(text) else {
            throw node.error("expected \(ListenAddress.forms), found \(node.found)\(ListenAddress.advice(on: text))")
        }
        return address
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }

    /// Off without the key.
    private static func flag(
        _ path: String, _ field: Field<Bool>, _ help: String, _ words: (yes: String, no: String) = ("true", "false")
    ) -> ServiceKey {
        ServiceKey(path: path, help: help, form: "\(words.yes) or \(words.no)", standard: words.no) {
            (service, node) throws(PolicyError) in
            service[keyPath: field] =
                switch try node.text() {
                case words.yes: true
                case words.no: false
                default: throw node.mismatch(with: [words.yes, words.no])
                }
        }
    }
}

/// Sizes in bytes, with the units `KiB` and `MiB`.
enum SizeText {
    static func bytes(_ text: String) -> Int? {
        for (unit, factor) in [("KiB", 1 << 10), ("MiB", 1 << 20)] where text.hasSuffix(unit) {
            return number(text.dropLast(unit.count)).map { $0 * factor }
        }
        return number(text[...])
    }

    private static func number(_ digits: Substring) -> Int? {
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int32(digits) else { return nil }
        return Int(number)
    }

    static func text(_ bytes: Int) -> String {
        if bytes >= 1 << 20, bytes % (1 << 20) == 0 { return "\(bytes >> 20)MiB" }
        return bytes >= 1 << 10 && bytes % (1 << 10) == 0 ? "\(bytes >> 10)KiB" : "\(bytes)"
    }
}
