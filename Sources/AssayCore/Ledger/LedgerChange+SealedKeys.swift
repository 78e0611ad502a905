import AssayPrimitives
package import FoundationEssentials

extension LedgerChange {
    /// The entry of the audit trail for a change of the key store.
    package init(_ change: SealedKeyChange, by operatorName: String?, at now: Date) {
        let (action, name, detail): (Action, String, String) =
            switch change {
            case .insert(let key):
                (
                    .addKey, key.name,
                    "\(key.algorithm) for \(key.purpose.name)\(key.scope.map { " of \($0)" } ?? "")"
                )
            case .replace(let key): (.retireKey, key.name, Self.retirement(of: key))
            case .reseal(let key): (.resealKey, key.name, Self.retirement(of: key))
            case .remove(let name): (.removeKey, name, "removed")
            }
        self.init(at: now, operatorName: operatorName, action: action, subject: "key \(name)", detail: detail)
    }

    private static func retirement(of key: SealedKey) -> String {
        key.retiredAt.map { "retired at \(RFC3339.format($0))" } ?? "not retired"
    }

    /// The actions of changes of the key store, as a list of literals for statements on the audit trail.
    package static let sealedKeyActions = [Action.addKey, .retireKey, .resealKey, .removeKey].map { "'\($0.rawValue)'" }
        .joined(separator: ", ")
}
