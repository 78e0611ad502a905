import AssayCore
import FoundationEssentials

/// The keys of one app, by whether they may be used at a time.
struct PlayIntegrityKeySet {
    /// A key with its name and its state.
    struct Entry {
        let name: String
        let state: KeyState
        let keys: PlayIntegrityKeys
    }

    /// Those that may be used, in the order of the store.
    private(set) var live: [Entry] = []
    /// Those that may not, which only serve to say why.
    private(set) var others: [Entry] = []

    /// Takes the keys of a store that are the app's.
    ///
    /// Those that the policy names, unless their scope is another app; without names those whose scope is the package
    /// name or the app.
    init(_ keys: [NamedKey], for expectations: PlayIntegrityExpectations, at now: Date) {
        for key in keys where Self.isKey(key, of: expectations) {
            guard let material = key.material as? PlayIntegrityKeys else { continue }
            let entry = Entry(name: key.name, state: key.state(at: now), keys: material)
            if entry.state == .live { live.append(entry) } else { others.append(entry) }
        }
    }

    private static func isKey(_ key: NamedKey, of expectations: PlayIntegrityExpectations) -> Bool {
        let configuration = expectations.configuration
        let fits = key.scope.map {
            $0.isByteEqual(to: configuration.packageName) || $0.isByteEqual(to: expectations.app)
        }
        guard let names = configuration.keys else { return fits ?? false }
        return (fits ?? true) && names.contains { $0.isByteEqual(to: key.name) }
    }

    /// Why no key can be used: which there are, and in what state.
    static func absence(
        of keys: [NamedKey], for expectations: PlayIntegrityExpectations, at now: Date
    ) -> RequestError {
        let set = PlayIntegrityKeySet(keys, for: expectations, at: now)
        let app = expectations.app.excerpt
        let states = set.others.map { "\($0.name.excerpt) (\($0.state))" }
        let foreign = keys.filter { key in
            !isKey(key, of: expectations) && expectations.configuration.keys?.containsBytes(of: key.name) ?? true
        }
        .map { "\($0.name.excerpt) (for \($0.scope?.excerpt ?? "apps whose policy names it"))" }
        let missing = (expectations.configuration.keys ?? []).filter { name in
            !keys.contains { $0.name.isByteEqual(to: name) }
        }
        .map { "\($0.excerpt) (no such key)" }
        let found = states + foreign + missing
        return RequestError(
            .noKey,
            "app \(app) has no key for \(PlayIntegrityKeys.purpose) that may be used at \(RFC3339.format(now)); "
                + (found.isEmpty
                    ? "there is none for \(expectations.configuration.packageName)"
                    : "there are \(found.joined(separator: ", "))"))
    }
}
