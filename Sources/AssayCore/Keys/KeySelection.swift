import AssayPrimitives
package import FoundationEssentials

/// Selects the keys of one app among those of a purpose.
package struct KeyClaim: Sendable {
    /// The app of the policy.
    package let app: String
    /// The names in the policy; nil for all keys with the app's scope.
    package let names: [String]?
    /// The scopes that match the app: its name in the policy, and the platform's own name if there is one.
    package let scopes: [String]

    package init(app: String, names: [String]?, scopes: [String]) {
        (self.app, self.names, self.scopes) = (app, names, scopes)
    }

    /// Whether a key belongs to the app. If the policy names keys, the key must be one of them, and any scope that it
    /// has must match the app. Otherwise the key must have a scope that matches the app.
    func covers(_ key: NamedKey) -> Bool {
        let fits = key.scope.map { scopes.containsBytes(of: $0) }
        guard let names else { return fits ?? false }
        return (fits ?? true) && names.containsBytes(of: key.name)
    }
}

/// The keys of one app: those that may be used, and the others.
package struct KeySelection<Material: KeyMaterial>: Sendable {
    /// A key with its name and its state.
    package struct Entry: Sendable {
        package let name: String
        /// The state at the time of judgement.
        package let state: KeyState
        package let material: Material
    }

    /// The keys that may be used, in the order of the store.
    package private(set) var live: [Entry] = []
    /// The keys that may not be used, for messages.
    package private(set) var others: [Entry] = []

    /// Selects the app's keys of a store.
    package init(_ keys: [NamedKey], for claim: KeyClaim, at now: Date) {
        for key in keys where claim.covers(key) {
            guard let material = key.material as? Material else { continue }
            let entry = Entry(name: key.name, state: key.state(at: now), material: material)
            if entry.state == .live { live.append(entry) } else { others.append(entry) }
        }
    }

    /// The error for an app without a usable key: names the keys that exist, with their states.
    package static func absence(of keys: [NamedKey], for claim: KeyClaim, at now: Date) -> RequestError {
        let states = KeySelection(keys, for: claim, at: now).others.map { "\($0.name.excerpt) (\($0.state))" }
        let foreign = keys.filter { key in
            !claim.covers(key) && claim.names?.containsBytes(of: key.name) ?? true
        }
        .map { "\($0.name.excerpt) (for \($0.scope?.excerpt ?? "apps whose policy names it"))" }
        let missing = (claim.names ?? []).filter { name in !keys.contains { $0.name.isByteEqual(to: name) } }
            .map { "\($0.excerpt) (no key for \(Material.purpose) has this name)" }
        let found = states + foreign + missing
        let scopes = claim.scopes.map(\.excerpt).joined(separator: " or ")
        return RequestError(
            .noKey,
            "app \(claim.app.excerpt) has no key for \(Material.purpose) that may be used at \(RFC3339.format(now)); "
                + (found.isEmpty ? "there is none for \(scopes)" : "there are \(found.joined(separator: ", "))"))
    }
}
