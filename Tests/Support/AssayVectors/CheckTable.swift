import Assay
import AssayCore

/// The names, kinds and codes of all checks, which are API: `TestVectors/checks.txt`.
package enum CheckTable {
    /// One check a line, with its kind and its codes.
    package static var text: String {
        EngineRegistry.standard.catalogue.map { check in
            "\(check.id) (\(check.kind.words)): \(check.codes.map(\.name).joined(separator: " "))\n"
        }.joined()
    }
}

extension CheckDefinition.Kind {
    fileprivate var words: String {
        switch self {
        case .gate: "gate"
        case .policy(let mode): "policy, \(mode.rawValue)"
        case .signal: "signal"
        case .ledger: "ledger"
        }
    }
}
