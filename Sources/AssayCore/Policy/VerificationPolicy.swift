package import AssayPrimitives
package import FoundationEssentials

/// The requirements of an organisation: its apps, and the mode of each policy check.
public struct VerificationPolicy: Sendable {
    /// The apps, by unique name.
    package let apps: [PolicyApp]
    /// The named sets of apps for routes of servers.
    package let routes: [PolicyRoute]
    /// SHA-256 of the text that the policy was read from, in hexadecimal digits as `sha256sum` prints it; nil for a policy of code.
    package var digest: String?
    /// The keys of the policy, by unique name. Key stores hold more.
    package let keys: [NamedKey]
    /// The mode of every policy check of the catalogue: set in the policy, or the check's default. For an app,
    /// ``modes(of:)`` counts.
    package let modes: [CheckID: CheckMode]
    /// The modes that the policy sets, without defaults.
    private let setModes: [CheckID: CheckMode]
    /// What verdicts, logs and reports contain of network addresses. Give it to `CaptureOptions.addresses` too.
    public private(set) var addresses: AddressRule
    /// What logs contain of accounts: the policy's `log.account`.
    package private(set) var logAccounts: AddressRule
    /// The facts of subjects by which metrics count verdicts: the policy's `metrics.by`.
    package let countedFacts: [String]
    /// The properties of apps by which metrics count verdicts: the policy's `metrics.property`.
    package let countedProperties: [String]
    /// The field of requests in which an app describes itself: the policy's `propertyHeader`; nil for none.
    package let propertyHeader: String?
    /// Names in lists of the policy file that Assay does not know, such as a misspelt annotation, each with file, line
    /// and the nearest known name. They are no errors, because Google and Approov add names. A server logs them when it
    /// starts.
    public let notes: [String]

    /// The same policy. Pseudonyms of addresses and accounts under the key of the process are others for each name.
    package func apart(for name: String) -> VerificationPolicy {
        var policy = self
        (policy.addresses, policy.logAccounts) = (addresses.apart(for: name), logAccounts.apart(for: name))
        return policy
    }

    /// Composes a policy in code. `PolicyFile` reads one from a file.
    ///
    /// - Throws: ``PolicyError`` when there is no app, a name of an app has more than 255 bytes, two apps or two keys share a name, an app has two configurations
    ///   of an engine, a mode is set for a check that is not in `catalogue`, or a mode other than `enforce` is set for
    ///   a check that is not a policy check.
    package init(
        apps: [PolicyApp], keys: [NamedKey] = [], modes: [CheckID: CheckMode] = [:], catalogue: [CheckDefinition],
        addresses: AddressRule = .keep, logAccounts: AddressRule = .hashOfProcess, countedFacts: [String] = [],
        countedProperties: [String] = [], propertyHeader: String? = nil, routes: [PolicyRoute] = [],
        notes: [String] = []
    ) throws(PolicyError) {
        guard !apps.isEmpty else { throw PolicyError(field: "apps", "a policy names at least one app") }
        // Not by bytes: two spellings of one letter look the same in verdicts and logs.
        var names: Set<String> = []
        for app in apps {
            if let objection = PolicyApp.objection(to: app.name) { throw PolicyError(field: "apps", objection) }
            guard names.insert(app.name).inserted else {
                throw PolicyError(field: "apps", "two apps are named \(app.name.excerpt); names are unique")
            }
            let engines = app.configurations.map { type(of: $0).engine }
            guard Set(engines).count == engines.count else {
                throw PolicyError(field: "apps", "app \(app.name.excerpt) is configured twice for one engine")
            }
        }
        var keyNames: Set<[UInt8]> = []
        for key in keys where !keyNames.insert(Array(key.name.utf8)).inserted {
            throw PolicyError(field: "keys", "two keys are named \(key.name.excerpt); names are unique")
        }
        // Sorted: the same policy always gives the same error.
        for (check, mode) in modes.sorted(by: { $0.key < $1.key }) {
            if let objection = VerificationPolicy.objection(to: mode, for: check, in: catalogue) {
                throw PolicyError(field: "checks.\(check.name)", objection)
            }
        }
        (self.apps, self.keys, self.addresses) = (apps, keys, addresses)
        (self.logAccounts, self.countedFacts, self.countedProperties) = (logAccounts, countedFacts, countedProperties)
        (self.propertyHeader, self.routes, self.notes) = (propertyHeader, routes, notes)
        setModes = modes
        var effective: [CheckID: CheckMode] = [:]
        for definition in catalogue {
            switch definition.kind {
            case .policy(let standard): effective[definition.id] = modes[definition.id] ?? standard
            case .signal: effective[definition.id] = modes[definition.id] ?? .annotate
            case .gate, .ledger: break
            }
        }
        self.modes = effective
    }

    /// The modes for an app: a rule that the app's sections state is enforced, unless the policy sets a mode for its check.
    package func modes(of app: PolicyApp) -> [CheckID: CheckMode] {
        var modes = modes
        for check in app.statedRules where setModes[check] == nil && modes[check] != nil { modes[check] = .enforce }
        return modes
    }

    /// The error for a name that no check has.
    package static func unknown(_ check: String, in catalogue: [CheckDefinition]) -> String {
        let advice = Nearest.advice(for: check, among: catalogue.map(\.id.name))
        return "there is no check \(check.excerpt)" + (advice.isEmpty ? "; `assay explain` lists them all" : advice)
    }

    /// Why a mode cannot be set for a check; nil if it can.
    package static func objection(to mode: CheckMode, for check: CheckID, in catalogue: [CheckDefinition]) -> String? {
        guard let definition = catalogue.first(where: { $0.id.name.isByteEqual(to: check.name) }) else {
            return unknown(check.name, in: catalogue)
        }
        switch definition.kind {
        case .policy where definition.mayBeOff || mode != .off: return nil
        case .policy:
            return "\(check.name) cannot be switched off; allowed are enforce and annotate, found off. It stops this: "
                + definition.stops
        case .signal where mode != .enforce: return nil
        case .signal:
            return "\(check.name) is only a signal and never rejects; allowed are annotate and off, found enforce"
        case .gate where mode == .enforce: return nil
        case .ledger where mode == .enforce: return nil
        case .gate:
            return "\(check.name) is a gate and is always enforced, found \(mode.rawValue). It stops this: "
                + definition.stops
        case .ledger:
            return "\(check.name) is decided by the ledger and is always enforced, found \(mode.rawValue). "
                + "It stops this: " + definition.stops
        }
    }
}

/// One app of a policy, with a section for each engine that judges its evidence.
@usableFromInline
package struct PolicyApp: Sendable {
    /// The name by which records and verdicts refer to the app.
    package let name: String
    /// Its sections, at most one of each engine.
    package let configurations: [any EngineConfiguration]
    /// The checks that only annotate by default and whose rules the sections state; see
    /// ``ReadableConfiguration/annotatedRules``.
    package let statedRules: [CheckID]

    /// Says why a name is too long; nil if it is not. To hash a letter with a million accents would take minutes.
    package static func objection(to name: String) -> String? {
        guard name.utf8.count > 255 else { return nil }
        return "the name of an app has at most 255 bytes in UTF-8, found \(name.utf8.count): \(name.excerpt)"
    }

    package init(name: String, _ configurations: any EngineConfiguration...) {
        self.init(name: name, configurations: configurations)
    }

    /// Names an app. A field that is not set, and whose default depends on the other sections, gets its value here.
    package init(name: String, configurations: [any EngineConfiguration], statedRules: [CheckID] = []) {
        self.name = name
        self.configurations = configurations.map { $0.inForce(beside: configurations) }
        self.statedRules = statedRules
    }

    /// The configuration of an engine; nil when the app has none.
    package func configuration<Configuration: EngineConfiguration>(_ type: Configuration.Type) -> Configuration? {
        // Not a lazy sequence: Swift's runtime would make its types at the start of a program, for each configuration.
        for case let configuration as Configuration in configurations { return configuration }
        return nil
    }
}

/// The section of an app for one engine: its requirements.
@usableFromInline
package protocol EngineConfiguration: Sendable {
    /// The name of the engine, such as `app-attest`.
    static var engine: String { get }
    /// The field of an app in a policy file that holds the configuration, such as `appAttest`.
    static var policyField: String { get }
    /// Whether accepted evidence of the app is exchanged for tokens, by which others trust it without seeing the evidence.
    var givesTokens: Bool { get }
    /// Whether the section accepts builds that a developer installed, not the store.
    var admitsDevelopmentBuilds: Bool { get }
    /// The configuration in force in an app with these sections.
    func inForce(beside sections: [any EngineConfiguration]) -> any EngineConfiguration
}

extension EngineConfiguration {
    package var givesTokens: Bool { false }
    package var admitsDevelopmentBuilds: Bool { false }
    package func inForce(beside sections: [any EngineConfiguration]) -> any EngineConfiguration { self }
}

/// A configuration that can be read from a policy file. If it has a field `keys`, `PolicyFile` checks that the policy's
/// keys with these names have a purpose of the engine.
package protocol ReadableConfiguration: EngineConfiguration {
    /// Reads the configuration from the value of the engine's field. `files` reads the files that the policy names.
    init(reading node: PolicyNode, files: any PolicyFiles) throws(PolicyError)

    static var fields: [PolicyField] { get }

    /// Valid values for fields that are required, or that checks need. After an error, the policy reader inserts them
    /// and looks for further errors.
    static var examples: [PolicySetting] { get }

    /// The policy checks that do not run because the section lacks a field, with the path of that field.
    var unsetFields: [CheckID: String] { get }

    /// The fields whose checks annotate by default, with the check of each. A section that states such a field demands what it
    /// says: the check is then enforced for this app.
    static var annotatedRules: [String: CheckID] { get }

    /// The values of a key's scope, `for`, that match the app besides its name, such as a package name.
    var keyScopes: [String] { get }

    /// The checks to which fields of the section refer, with the path of the field.
    var namedChecks: [(field: String, check: String)] { get }

    /// Remarks on weak settings and unknown names in the section.
    var remarks: [PolicyRemark] { get }

    /// Remarks on what the section lacks among the keys of the policy.
    func remarks(on keys: [NamedKey], app: String, at now: Date) -> [PolicyRemark]

    /// The field without which the app has no evidence of a kind of the engine; nil if the section has it.
    func missingField(for kind: EvidenceKind) -> String?

    /// The kinds of evidence of other engines to which the field `required` of the section refers, in its order.
    var required: [EvidenceKind] { get }

    /// Every setting in force, defaults included, in the order of the declared fields.
    var settings: [PolicySetting] { get }
}

extension ReadableConfiguration {
    package static var examples: [PolicySetting] { [] }
    /// None: the scope is the name of the app.
    package var keyScopes: [String] { [] }
    /// None: every check runs.
    package var unsetFields: [CheckID: String] { [:] }
    package static var annotatedRules: [String: CheckID] { [:] }
    package var namedChecks: [(field: String, check: String)] { [] }
    package var remarks: [PolicyRemark] { [] }
    /// None: a key store may have the keys.
    package func remarks(on keys: [NamedKey], app: String, at now: Date) -> [PolicyRemark] { [] }
    package func missingField(for kind: EvidenceKind) -> String? { nil }
    package var required: [EvidenceKind] { [] }
    /// None: the section is shown as written.
    package var settings: [PolicySetting] { [] }
}

/// Reads the files that a policy names, such as the certificate of a test authority.
package protocol PolicyFiles: Sendable {
    /// The contents of the file in a scalar `file:PATH`. A relative path is relative to the policy.
    func contents(of node: PolicyNode) throws(PolicyError) -> [UInt8]

    /// Same as ``contents(of:)``, for a file of at most `limit` bytes, which may exceed the size of a policy.
    func contents(of node: PolicyNode, limit: Int) throws(PolicyError) -> [UInt8]

    /// The contents of the file or environment variable in a scalar `file:PATH` or `env:NAME`.
    ///
    /// - Parameter part: the part of a key to read. The file of a secret must be protected from other users.
    /// - Throws: ``PolicyError`` at the node. It shows neither the contents nor a scalar of another form, which may be
    ///   the secret itself.
    func contents(of part: KeyPart, at node: PolicyNode) throws(PolicyError) -> SecretBytes
}

extension PolicyFiles {
    /// Same as ``contents(of:)``, for implementations without a limit of their own.
    package func contents(of node: PolicyNode, limit: Int) throws(PolicyError) -> [UInt8] {
        let bytes = try contents(of: node)
        guard bytes.count <= limit else { throw node.error("\(bytes.count) bytes, at most \(limit) allowed") }
        return bytes
    }

    /// Same as ``contents(of:)``, for implementations that store keys like any other file.
    package func contents(of part: KeyPart, at node: PolicyNode) throws(PolicyError) -> SecretBytes {
        var bytes = try contents(of: node)
        defer { SecretBytes.wipe(&bytes) }
        return SecretBytes(bytes)
    }
}

/// A policy that cannot be used: the file, line and field, what was found and what is allowed.
public struct PolicyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file; nil for a policy that was composed in code.
    public let file: String?
    /// The line, counted from 1.
    public let line: Int?
    /// The path of the field, such as `apps[0].appAttest.counter`.
    public let field: String
    /// What was found, and what is allowed.
    public let message: String

    /// Describes why a policy cannot be used.
    package init(file: String? = nil, line: Int? = nil, field: String, _ message: String) {
        (self.file, self.line, self.field, self.message) = (file, line, field, message)
    }

    /// The same error with a place: the field that it names, or its innermost parent in the policy, in the section that
    /// was read.
    package func placed(in section: PolicyNode) -> PolicyError {
        guard file == nil, line == nil else { return self }
        return PolicyError(
            file: section.file, line: section.line(ofField: field),
            field: field.isEmpty ? section.path : "\(section.path).\(field)", message)
    }

    /// File, line, field and sentence.
    public var description: String {
        let place = [file, line.map(String.init)].compactMap { $0 }.joined(separator: ":")
        return [place, field, message].filter { !$0.isEmpty }.joined(separator: ": ")
    }
}
