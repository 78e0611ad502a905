import ArgumentParser
import Assay
import AssayCore
import AssayService
import AssayTokens
import Foundation

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explains a check, a code, a remedy or an ARC, or lists all checks.",
        discussion: """
            A gate is always enforced, and what depends on it is skipped when it fails. A policy check runs in the \
            mode that the policy sets. A ledger check is decided when the effects of an acceptance are committed.

            A verdict has a code, such as challenge-expired, beside each check that failed, was annotated, was skipped or \
            passed with a remark. Its remedy is what a client can do about a failure, such as new-challenge. \
            Outages, which give no verdict, and errors of `assay serve` have codes too, such as unreachable and body-too-long.

            An ARC is the response code of a token in Approov's format, such as RMPAKMHI. The key store of the ledger \
            whose service issued the token tells what the checks found.
            """)

    @Argument(
        help: ArgumentHelp(
            "The name of a check, the first parts of several, such as app-attest.attestation, a code, a remedy, or an ARC.",
            valueName: "name"),
        completion: .list(Self.names(in: EngineRegistry.current.catalogue)))
    var name: String?

    @Flag(help: "Print one JSON object per check, or per check that has the code.")
    var json = false

    @OptionGroup var options: LedgerOptions
    @OptionGroup var masterKey: MasterKeyOption

    func run() async throws {
        let catalogue = EngineRegistry.current.catalogue
        guard let name else { return try list(catalogue) }
        if let definition = catalogue.first(where: { $0.id.name == name }) {
            try json ? list([definition]) : explain(definition)
            return
        }
        let uses = CodeUse.all(of: name, in: catalogue)
        let outage = OutageExplanation.of(name)
        let problem = ProblemCode(rawValue: name)
        if !uses.isEmpty { try explain(uses) }
        // All JSON lines must have the same form.
        if let outage, uses.isEmpty || !json { try explain(outage) }
        if let problem, uses.isEmpty && outage == nil || !json { try explain(problem) }
        let remedy = Remedy(rawValue: name)
        if let remedy, uses.isEmpty && outage == nil && problem == nil || !json { try explain(remedy, catalogue) }
        guard uses.isEmpty, outage == nil, problem == nil, remedy == nil else { return }
        if ResponseCode.isCode(name) { return try await explain(responseCode: name, catalogue) }
        let beginning = name.hasSuffix(".") ? name : name + "."
        let below = catalogue.filter { $0.id.name.hasPrefix(beginning) }
        guard below.isEmpty else { return try list(below) }
        let codes = ProblemCode.allCases.map(\.rawValue) + Remedy.allCases.map(\.rawValue)
        let advice = Nearest.advice(for: name, among: Self.names(in: catalogue) + codes)
        throw CommandFailure(
            .usage,
            "there is no check, code or remedy \"\(name.prefix(60))\""
                + (advice.isEmpty ? "; `assay explain` lists all checks" : advice))
    }

    /// The names of all checks in catalogue order, then the sorted names of their codes.
    private static func names(in catalogue: [CheckDefinition]) -> [String] {
        catalogue.map(\.id.name)
            + Set(
                catalogue.flatMap { $0.codes.map(\.name) } + OutageExplanation.all.map(\.code.name)
                    + Remedy.allCases.map(\.rawValue)
            ).sorted()
    }

    /// The policy field that enforces a check which annotates by default; nil if there is none.
    private static func rule(of check: CheckID) -> String? {
        EngineRegistry.current.configurations.lazy.compactMap { type in
            type.annotatedRules.first { $0.value == check }.map { "\(type.policyField).\($0.key)" }
        }.first
    }

    private func explain(_ definition: CheckDefinition) throws {
        let terminal = Terminal(STDOUT_FILENO)
        let rule = Self.rule(of: definition.id).map { ", enforced for an app that states \($0)" } ?? ""
        let limit = definition.mayBeOff ? "" : ", never off"
        try Console.print("\(terminal.colour(definition.id.name, .bold))  \(definition.kind.sentence)\(limit)\(rule)")
        let parts = [
            ("proves", definition.proves), ("stops", definition.stops), ("look at", definition.lookAt),
            ("source", definition.source),
        ]
        for (title, text) in parts {
            try Console.print("\n\(title)")
            try printWrapped(text, indent: 2, terminal)
        }
        try Console.print("\ncodes")
        for code in definition.codes {
            try Console.print("  \(terminal.colour(code.name, .bold))")
            try printWrapped(code.meaning, indent: 6, terminal)
            try Console.print("      remedy: \(definition.remedy(for: code.name).rawValue)")
        }
    }

    /// Explains a code. Groups the checks for which it has the same meaning.
    private func explain(_ uses: [CodeUse]) throws {
        if json { return try uses.forEach { try Console.print($0.json) } }
        let terminal = Terminal(STDOUT_FILENO)
        try Console.print(terminal.colour(uses[0].code.name, .bold))
        var explained: Set<CheckCode> = []
        for use in uses where explained.insert(use.code).inserted {
            try Console.print("\nmeans")
            try printWrapped(use.code.meaning, indent: 2, terminal)
            try Console.print("\nlook at")
            for other in uses where other.code == use.code {
                try Console.print("  \(terminal.colour(other.check.id.name, .bold))")
                try printWrapped(other.check.lookAt, indent: 6, terminal)
                try Console.print("      remedy: \(other.check.remedy(for: other.code.name).rawValue)")
            }
        }
    }

    private func explain(_ outage: OutageExplanation) throws {
        if json { return try Console.print(outage.json) }
        let terminal = Terminal(STDOUT_FILENO)
        try Console.print(
            "\(terminal.colour(outage.code.name, .bold))  an outage (\(outage.parts.joined(separator: ", "))): there is no verdict"
        )
        try printWrapped(outage.meaning, indent: 2, terminal)
    }

    /// Explains an error of the service.
    private func explain(_ problem: ProblemCode) throws {
        if json {
            return try Console.print(json: ["problem": problem.rawValue, "meaning": problem.meaning])
        }
        let terminal = Terminal(STDOUT_FILENO)
        try Console.print("\(terminal.colour(problem.rawValue, .bold))  an error of assay serve")
        try printWrapped(problem.meaning, indent: 2, terminal)
    }

    /// Explains a remedy, and lists the codes that have it.
    private func explain(_ remedy: Remedy, _ catalogue: [CheckDefinition]) throws {
        let codes = Set(
            catalogue.flatMap { check in check.codes.map(\.name).filter { check.remedy(for: $0) == remedy } }
        ).sorted()
        if json {
            return try Console.print(json: ["remedy": remedy.rawValue, "meaning": remedy.meaning, "codes": codes])
        }
        let terminal = Terminal(STDOUT_FILENO)
        try Console.print("\(terminal.colour(remedy.rawValue, .bold))  a remedy: what a client can do about a failure")
        try printWrapped(remedy.meaning, indent: 2, terminal)
        try Console.print("\nof the codes")
        try printWrapped(codes.joined(separator: " "), indent: 2, terminal)
    }

    /// Explains the response code of a token that a service with the ledger's key store issued.
    private func explain(responseCode code: String, _ catalogue: [CheckDefinition]) async throws {
        guard let masterKey = try masterKey.readIfAny() else {
            throw CommandFailure(
                .usage,
                "\(code) may be the ARC of a token, which only the key store of its issuer can explain: give --ledger and "
                    + "--master-key")
        }
        let secrets = try await options.url.withLedger(creating: false) { open in
            try await open.keyStore(masterKey).keys(for: TokenSecret.purpose).compactMap { $0.material as? TokenSecret }
        }
        // A verdict has the checks of its kind, DeviceCheck's, and the one of its platform's builds.
        let kinds = Dictionary(grouping: catalogue) {
            $0.id.name.split(separator: ".").dropLast().joined(separator: ".")
        }
        let groups = kinds.filter { $0.key != "device-check" }.map { kind in
            let engine = kind.key.split(separator: ".").first ?? ""
            let builds = (kinds["builds"] ?? []).filter { kind.key != "builds" && $0.id.name == "builds.\(engine)" }
            return kind.value + (kinds["device-check"] ?? []) + builds
        }
        guard let findings = ResponseCode.findings(in: code, groups, under: secrets) else {
            throw CommandFailure(
                .rejected,
                "\(code) is no ARC of this ledger's \(secrets.count) secrets for at most four findings; the log of the "
                    + "service has those of each token: assay.arc")
        }
        if json {
            for finding in findings {
                try Console.print(json: [
                    "arc": code, "check": finding.check.name, "status": finding.isFailure ? "failed" : "annotated",
                ])
            }
            return
        }
        try Console.print(
            "\(Terminal(STDOUT_FILENO).colour(code, .bold))  \(findings.isEmpty ? "no check failed or was annotated" : "an ARC")"
        )
        for finding in findings {
            try Console.print("  \(finding.isFailure ? "failed" : "annotated")  \(finding.check.name)")
        }
    }

    private func printWrapped(_ text: String, indent: Int, _ terminal: Terminal) throws {
        try Console.print(terminal.wrapped(terminal.printable(text), indent: indent).joined(separator: "\n"))
    }

    private func list(_ definitions: [CheckDefinition]) throws {
        if json { return try definitions.forEach { try Console.print($0.json) } }
        let terminal = Terminal(STDOUT_FILENO)
        var group = ""
        for definition in definitions {
            let kind = definition.id.name.split(separator: ".").dropLast().joined(separator: ".")
            if kind != group {
                try Console.print((group.isEmpty ? "" : "\n") + terminal.colour(kind, .bold))
                group = kind
            }
            try Console.print("  \(definition.id)  \(terminal.colour(definition.kind.word, .faint))")
            try printWrapped(definition.proves, indent: 6, terminal)
        }
    }
}

extension CheckDefinition.Kind {
    fileprivate var word: String {
        switch self {
        case .gate: "gate"
        case .policy(let mode): "policy, \(mode.rawValue)"
        case .signal: "signal, annotate"
        case .ledger: "ledger"
        }
    }

    fileprivate var sentence: String {
        switch self {
        case .gate: "a gate: always enforced"
        case .policy(let mode): "a policy check: \(mode.rawValue) by default"
        case .signal: "a signal: annotate by default, and never enforced"
        case .ledger: "decided by the ledger: always enforced"
        }
    }
}
