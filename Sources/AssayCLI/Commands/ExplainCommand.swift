import ArgumentParser
import Assay
import AssayCore
import Foundation

/// `assay explain`: what a check is for.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explains a check, or lists them all.",
        discussion: """
            A gate is always enforced, and what depends on it is skipped when it fails. A policy check runs in the \
            mode that the policy sets. A ledger check is decided when the effects of an acceptance are committed.
            """)

    @Argument(
        help: "The name of a check, or the first parts of several, such as app-attest.attestation.",
        completion: .list(EngineRegistry.current.catalogue.map(\.id.name)))
    var check: String?

    @Flag(help: "Print one JSON object per check.")
    var json = false

    func run() throws {
        let catalogue = EngineRegistry.current.catalogue
        guard let check else { return try list(catalogue) }
        if let definition = catalogue.first(where: { $0.id.name == check }) {
            try json ? list([definition]) : explain(definition)
            return
        }
        let beginning = check.hasSuffix(".") ? check : check + "."
        let below = catalogue.filter { $0.id.name.hasPrefix(beginning) }
        guard below.isEmpty else { return try list(below) }
        let nearest = Nearest.names(to: check, among: catalogue.map(\.id.name))
        throw CommandFailure(
            .usage,
            "there is no check \"\(check.prefix(60))\"; "
                + (nearest.isEmpty
                    ? "`assay explain` lists them all" : "did you mean \(nearest.joined(separator: " or "))?"))
    }

    private func explain(_ definition: CheckDefinition) throws {
        let terminal = Terminal(STDOUT_FILENO)
        try Console.print("\(terminal.colour(definition.id.name, .bold))  \(definition.kind.sentence)")
        let parts = [
            ("proves", definition.proves), ("stops", definition.stops), ("look at", definition.lookAt),
            ("source", definition.source),
        ]
        for (title, text) in parts {
            try Console.print("\n\(title)")
            try Console.print(terminal.wrapped(terminal.printable(text), indent: 2).joined(separator: "\n"))
        }
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
            try Console.print(
                terminal.wrapped(terminal.printable(definition.proves), indent: 6).joined(separator: "\n"))
        }
    }
}

extension CheckDefinition {
    /// The check as one JSON object on one line.
    fileprivate var json: String {
        var object = JSONObject()
        object.add("check", text: id.name)
        switch kind {
        case .gate: object.add("kind", text: "gate")
        case .policy(let mode):
            object.add("kind", text: "policy")
            object.add("default", text: mode.rawValue)
        case .signal:
            object.add("kind", text: "signal")
            object.add("default", text: CheckMode.annotate.rawValue)
        case .ledger: object.add("kind", text: "ledger")
        }
        object.add("proves", text: proves)
        object.add("stops", text: stops)
        object.add("lookAt", text: lookAt)
        object.add("source", text: source)
        return object.text
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
        case .policy(let mode): "a policy check: \(mode.rawValue) when the policy says nothing"
        case .signal: "a signal: annotate when the policy says nothing, and never enforced"
        case .ledger: "decided by the ledger: always enforced"
        }
    }
}
