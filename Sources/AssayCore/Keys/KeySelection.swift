package import FoundationEssentials

/// Which keys of a purpose are those of one app.
package struct KeyClaim: Sendable {
    /// The app of the policy.
    package let app: String
    /// The names that the policy gives, and nil for all keys whose scope fits.
    package let names: [String]?
    /// What a key's scope may be for the app: its name in the policy, and the platform's own name where there is one.
    package let scopes: [String]

    /// States a claim.
    package init(app: String, names: [String]?, scopes: [String]) {
        self.app = app
        self.names = names
        self.scopes = scopes
    }

    /// Whether a key is one of the app's: one that the policy names, unless its scope is another app; without names one
    /// whose scope fits.
    func covers(_ key: NamedKey) -> Bool {
        let fits = key.scope.map { scopes.containsBytes(of: $0) }
        guard let names else { return fits ?? false }
        return (fits ?? true) && names.containsBytes(of: key.name)
    }
}

/// The keys of one app, by whether they may be used at a time.
package struct KeySelection<Material: KeyMaterial>: Sendable {
    /// A key with its name and its state.
    package struct Entry: Sendable {
        /// The name.
        package let name: String
        /// The state at the time of judgement.
        package let state: KeyState
        /// The key.
        package let material: Material
    }

    /// Those that may be used, in the order of the store.
    package private(set) var live: [Entry] = []
    /// Those that may not, which only serve to say why.
    package private(set) var others: [Entry] = []

    /// Takes the keys of a store that are the app's.
    package init(_ keys: [NamedKey], for claim: KeyClaim, at now: Date) {
        for key in keys where claim.covers(key) {
            guard let material = key.material as? Material else { continue }
            let entry = Entry(name: key.name, state: key.state(at: now), material: material)
            if entry.state == .live { live.append(entry) } else { others.append(entry) }
        }
    }

    /// Why no key can be used: which there are, and in what state.
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
