package import AssayCore
import AssayPrimitives

/// How the certificate of one host is compared.
package struct HostRule: Sendable, Equatable {
    /// What is compared.
    package enum Comparison: String, Sendable, CaseIterable {
        /// The leaf, byte for byte.
        case leaf
        /// The public key of the leaf, or of an issuer of it.
        case pin
    }

    package var host: String
    package var compare = Comparison.leaf
    /// SHA-256 of the leaves that are accepted, two during a change.
    package var leaves: [[UInt8]] = []
    /// SHA-256 of the public keys that are accepted.
    package var pins: [[UInt8]] = []
    /// Whether what the addresses of the host present is accepted.
    package var fetch = false
    /// Whether nothing is compared, as for a host of developers that is not public.
    package var skip = false

    /// A rule without expectations.
    package init(host: String) { self.host = host }

    /// Why a text is no name of a host; nil if it is one.
    static func objection(toHost text: String) -> String? {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isHost =
            (1...253).contains(text.utf8.count)
            && labels.allSatisfy { label in
                (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                    && label.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
            }
        return isHost
            ? nil
            : "expected the name of a host in lower case, without port and final period, such as api.example.com, found "
                + "\"\(text.excerpt)\""
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// What the rule lacks or has too much; nil if it decides about every certificate.
    var objection: String? {
        if skip {
            return fetch || !leaves.isEmpty || !pins.isEmpty
                ? "skip: yes compares nothing: remove leaves, pins and fetch, or skip" : nil
        }
        switch compare {
        case .leaf where !pins.isEmpty: return "pins are for compare: pin; for compare: leaf, give leaves or fetch: yes"
        case .pin where !leaves.isEmpty:
            return "leaves are for compare: leaf; for compare: pin, give pins or fetch: yes"
        case .leaf where leaves.isEmpty && !fetch:
            return "nothing to compare with: give leaves, fetch: yes or skip: yes"
        case .pin where pins.isEmpty && !fetch: return "nothing to compare with: give pins, fetch: yes or skip: yes"
        case .leaf, .pin: break
        }
        return fetch && IPAddress(host) != nil ? "an address has no name for SNI: give leaves or pins" : nil
    }
}

/// What the certificates that apps see are compared with. The field `certificates` of an app.
@dynamicMemberLookup
package final class CertificateConfiguration: EngineConfiguration {
    package static let engine = "mitm"
    package static let policyField = "certificates"

    package struct Values: Sendable {
        /// The hosts, in the order of the policy, each once.
        package var hosts: [HostRule] = []
        /// Whether tokens of the app are given only for evidence that carries a certificate.
        package var required = false
    }

    package let values: Values
    private let byName: [String: HostRule]

    @inlinable
    package subscript<Value>(dynamicMember field: KeyPath<Values, Value>) -> Value { values[keyPath: field] }

    init(_ values: Values) {
        self.values = values
        // Names of hosts are ASCII: equal texts have equal bytes.
        byName = Dictionary(values.hosts.map { ($0.host, $0) }) { first, _ in first }
    }

    /// The rule of a host; nil for one that the policy does not name.
    func rule(of host: String) -> HostRule? { byName[host] }
}

extension CertificateConfiguration: SectionConfiguration {
    package convenience init(reading node: PolicyNode, files: any PolicyFiles) throws(PolicyError) {
        var values = Values()
        try Self.table.read(node, files, into: &values)
        self.init(values)
    }

    package static let table: [SectionField<Values>] = [
        SectionField(
            "hosts", .mapping, "The hosts to which the app connects, each with what its certificate is compared with.",
            required: "a mapping of hosts, such as { api.example.com: { fetch: yes } }"
        ) { values in
            [
                PolicySetting(
                    "hosts",
                    .mapping(values.hosts.map { ($0.host, 0, .written(.mapping(HostRule.table.shown($0)))) }))
            ]
        } read: { (values, node, files) throws(PolicyError) in
            guard case .mapping(let entries) = node.content, !entries.isEmpty else {
                throw node.error("expected a mapping of at least one host, found \(node.found)")
            }
            for entry in entries {
                if let objection = HostRule.objection(toHost: entry.key) { throw entry.value.error(objection) }
                var rule = HostRule(host: entry.key)
                try HostRule.table.read(entry.value, files, into: &rule)
                if let objection = rule.objection { throw entry.value.error(objection) }
                values.hosts.append(rule)
            }
        }.remarks { values in
            values.hosts.filter(\.skip).map {
                PolicyRemark(
                    "hosts",
                    "\($0.host): skip: yes: a proxy on the way to this host is accepted, and verdicts name the host; never "
                        + "in production")
            }
        },
        // Shown only where it demands something: lists of the same name in other sections are compared as lists.
        SectionField(
            "required", .words(["yes", "no"]), "Whether tokens are given only for evidence that carries a certificate."
        ) {
            [PolicySetting("required", $0.required ? "yes" : nil)]
        } read: { (values, node, files) throws(PolicyError) in
            values.required = try FieldForm.flag.read(node, files)
        }.weak(
            if: { !$0.required },
            "no: an app behind a proxy gets tokens if it leaves the certificate out of its evidence"),
    ]
}

extension HostRule {
    static let table: [SectionField<HostRule>] = [
        .field("compare", \.compare, .word, "What is compared."),
        .field("leaves", \.leaves, digests(\.digest), "A leaf that is accepted: file:PATH of PEM, or its SHA-256."),
        .field("pins", \.pins, digests(\.pin), "A public key that is accepted: SHA-256 of its SubjectPublicKeyInfo."),
        .field("fetch", \.fetch, .flag, "Whether what the host's addresses present is accepted."),
        .field("skip", \.skip, .flag, "Whether nothing is compared."),
    ]

    /// A digest, or a file of PEM certificates whose first one is meant.
    private static func digests(
        _ part: @escaping @Sendable (PresentedLeaves.Leaf) -> [UInt8]
    ) -> FieldForm<[[UInt8]]> {
        let digest = FieldForm<[UInt8]>(.text) {
            .scalar($0.hexadecimal)
        } read: { (node, files) throws(PolicyError) in
            let text = try node.text()
            guard text.hasPrefix("file:") else {
                do throws(CertificateDigestText.Problem) { return try CertificateDigestText.decode(text) } catch {
                    throw node.error("\(error.message); or file:PATH of a PEM certificate")
                }
            }
            let contents = try files.contents(of: node)
            do throws(DecodeError) {
                guard let first = try PEM.blocks(in: contents).first else {
                    throw DecodeError(.missing, at: 0, "the file has no certificate")
                }
                return part(try PresentedLeaves.Leaf(der: first.der))
            } catch { throw node.error("expected a file of PEM certificates, the leaf first: \(error.detail)") }
        }
        return .list(of: digest) { _ in "the digest stands in the list twice" }
    }
}

extension [SectionField<HostRule>] {
    /// The fields of a host that are set.
    fileprivate func shown(_ rule: HostRule) -> [(key: String, line: Int, value: PolicyNode)] {
        settings(of: rule).compactMap { setting in setting.value.map { (setting.path, 0, .written($0)) } }
    }
}

final class CertificateExpectations: EngineExpectations {
    let app: String
    let configuration: CertificateConfiguration
    let modes: CheckModes

    init(app: String, configuration: CertificateConfiguration, modes: [CheckID: CheckMode]) {
        (self.app, self.configuration, self.modes) = (app, configuration, CheckModes(modes))
    }
}
