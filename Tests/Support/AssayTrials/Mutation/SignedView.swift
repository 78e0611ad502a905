import AndroidKey
import AppAttest
import Approov
import Assay
import AssayCore
import AssayPrimitives
import PlayIntegrity

/// The signed and evaluated parts of a signed request. Two records with equal views mean the same.
///
/// It has every field that the signature of the original covers, for Approov also the token field and the bound fields,
/// and of `Signature` and `Signature-Input` only the verified member. White space around values is dropped.
struct SignedView: Equatable {
    /// The signature settings of the app's policy.
    private struct Reading {
        let label: String
        /// The fields that are evaluated without being covered by the signature.
        let names: [String]
        let ignoresPort: Bool

        init?(_ kind: EvidenceKind, _ app: PolicyApp) {
            if kind == .approovMessage, let configuration = app.configuration(ApproovConfiguration.self),
                let signing = configuration.messageSigning
            {
                label = signing.signer.label
                names = configuration.binding + [configuration.tokenHeader]
                ignoresPort = signing.quirks.contains(.authorityWithoutPort)
                return
            }
            let rules: RequestRules? =
                switch kind {
                case .appAttestRequest: app.configuration(AppAttestConfiguration.self)?.requests
                case .playIntegrityRequest: app.configuration(PlayIntegrityConfiguration.self)?.requests
                case .androidKeyRequest: app.configuration(AndroidKeyConfiguration.self)?.requests
                default: nil
                }
            guard let rules else { return nil }
            (label, names, ignoresPort) = (rules.label, [], false)
        }
    }

    private let method: String
    private let target: [String]
    private let body: [UInt8]
    private let fields: [String: [[UInt8]]]
    private let members: [[StructuredDictionary.Entry]]

    /// The views of a vector and its mutant; nil if either is no readable signed request.
    ///
    /// - Parameter ignoresValue: whether to leave out the signature value.
    static func both(_ mutant: Mutant, ignoresValue: Bool = false) -> (old: SignedView, new: SignedView)? {
        let original = mutant.vector.record
        guard mutant.record.kind == original.kind, mutant.record.app == original.app,
            let app = mutant.vector.policy.apps.first(where: { $0.name == original.app }),
            let reading = Reading(original.kind, app), let covered = covered(original, reading.label)
        else { return nil }
        let names = Set(covered + reading.names.map(Self.lowercased))
        guard let old = SignedView(original, names, reading, ignoresValue),
            let new = SignedView(mutant.record, names, reading, ignoresValue)
        else { return nil }
        return (old, new)
    }

    private init?(_ record: EvidenceRecord, _ names: Set<String>, _ reading: Reading, _ ignoresValue: Bool) {
        let lines = HeaderLine.all(of: record)
        guard case .text(let method)? = record.evidence["method"]?.content,
            case .text(let target)? = record.evidence["targetURI"]?.content
        else { return nil }
        self.method = method
        let uri = reading.ignoresPort ? Self.withoutPort(target) : target
        guard let parts = Self.parts(of: uri, covered: names) else { return nil }
        self.target = parts
        var body: [UInt8] = []
        for name in ["body", "bodyDigest"] {
            guard let content = record.evidence[name]?.content else { continue }
            if case .text("") = content { continue }
            RecordJSON.append(content, to: &body)
        }
        self.body = body
        var fields: [String: [[UInt8]]] = [:]
        for line in lines where names.contains(Self.lowercased(line.name)) {
            fields[Self.lowercased(line.name), default: []].append(Array(HTTPFieldText.trimmed(line.value).utf8))
        }
        self.fields = fields
        var members: [[StructuredDictionary.Entry]] = []
        for name in ["signature-input", "signature"] {
            guard let dictionary = Self.dictionary(lines, name) else { return nil }
            let own = dictionary.entries.filter { $0.key.isByteEqual(to: reading.label) }
            members.append(ignoresValue && name == "signature" ? Array(own.prefix(0)) : own)
        }
        self.members = members
    }

    private static func dictionary(_ lines: [HeaderLine], _ name: String) -> StructuredDictionary? {
        let values = lines.filter { $0.isNamed(name) }.map {
            HTTPFieldText.trimmed($0.value)
        }
        guard !values.isEmpty else { return nil }
        return try? StructuredFieldReader.readDictionary(
            Array(values.joined(separator: ", ").utf8)[...], duplicates: .refuse)
    }

    /// The names of the components that a signature covers.
    private static func covered(_ record: EvidenceRecord, _ label: String) -> [String]? {
        let dictionary = dictionary(HeaderLine.all(of: record), "signature-input")
        guard case .innerList(let list)? = dictionary?.entries.first(where: { $0.key == label })?.member else {
            return nil
        }
        return list.items.compactMap { item in
            guard case .string(let name) = item.value else { return nil }
            return name
        }
    }

    /// The parts of a URI (RFC 3986 section 3) that the covered derived components contain (RFC 9421 section 2.2). The
    /// authority is in lower case (section 2.2.3).
    private static func parts(of uri: String, covered: Set<String>) -> [String]? {
        guard !covered.contains("@target-uri") else { return [uri] }
        guard let match = uri.wholeMatch(of: #/([^:\/?#]*):\/\/([^\/?#]*)([^?#]*)(\?[^#]*)?(#.*)?/#) else { return nil }
        let components = [
            ("@scheme", match.1), ("@authority", Substring(match.2.lowercased())), ("@path", match.3),
            ("@query", match.4 ?? ""),
        ]
        return components.filter { name, _ in
            covered.contains(name) || (["@path", "@query"].contains(name) && covered.contains("@request-target"))
        }.map { String($0.1) }
    }

    private static func lowercased(_ name: String) -> String { name.lowercased() }

    private static func withoutPort(_ target: String) -> String {
        target.replacing(#/^([^:\/?#]*:\/\/[^\/?#:]*):[0-9]*/#) { $0.output.1 }
    }
}

/// A header line of a message.
struct HeaderLine: Equatable {
    let name: String
    let value: String

    func isNamed(_ other: String) -> Bool { HTTPFieldText.isName(name, equalTo: other) }

    /// The header lines of a record; empty if it has no list of them.
    static func all(of record: EvidenceRecord) -> [HeaderLine] {
        guard case .array(let lines)? = record.evidence["headers"]?.content else { return [] }
        return lines.map { line in
            guard case .array(let pair) = line.content, pair.count == 2, case .text(let name) = pair[0].content,
                case .text(let value) = pair[1].content
            else { return HeaderLine(name: "", value: "") }
            return HeaderLine(name: name, value: value)
        }
    }
}
