package import AssayCore
package import FoundationEssentials

/// What the keys of an issuer are used for at a time. It depends on stored times only: servers with the same keys never disagree.
///
/// A key is made and published at once. It signs from its `notBefore` on, until that of a newer key. Then it verifies until the last
/// token that it signed is dead, and is retired. A key that an operator retires is none of these from that time on.
package struct TokenKeySchedule: Sendable {
    /// How long verifiers cache the published keys, in seconds.
    package static let maximumAge: Double = 600
    /// How far ahead a key is published before it signs, in seconds: a day.
    package static let lead: Double = 86_400
    /// How long a key signs, in seconds: 90 days.
    package static let period: Double = 90 * 86_400
    /// How long a key verifies after it has signed its last token, in seconds.
    static let retention = TokenConfiguration.longestLife + TokenClaims.skew + maximumAge

    /// The use of a key.
    package enum State: String, Sendable, CaseIterable {
        /// It is published, and signs later.
        case published
        /// It signs.
        case signing
        /// A newer key signs; tokens of this one are still alive.
        case verifying
        /// No token of it is alive, or an operator retired it.
        case retired
    }

    /// A key with its use.
    package struct Entry: Sendable {
        /// The name in the store.
        package let name: String
        /// The key.
        package let key: TokenKey
        /// The first time at which it signs.
        package let signsFrom: Date
        /// The use at the time of the schedule.
        package let state: State
    }

    /// All keys that can sign, the one that signs last first.
    package let entries: [Entry]
    /// Key sets of issuers, which never sign, and may be used. The scope is the app of the policy that they count for; nil for any.
    private let sets: [(scope: String?, key: TokenKey)]

    /// Computes the uses at a time of the keys that a store has.
    package init(_ named: [NamedKey], at now: Date) {
        var keys: [(named: NamedKey, key: TokenKey, from: Date)] = []
        var sets: [(scope: String?, key: TokenKey)] = []
        for name in named {
            guard let key = name.material as? TokenKey else { continue }
            if key.signer != nil {
                keys.append((name, key, name.window.notBefore ?? .distantPast))
            } else if name.state(at: now) == .live {
                sets.append((name.scope, key))
            }
        }
        // By name among equal times, so that every server has the same order.
        keys.sort {
            $0.from == $1.from ? $1.named.name.utf8.lexicographicallyPrecedes($0.named.name.utf8) : $0.from > $1.from
        }
        var entries: [Entry] = []
        /// When a newer key began to sign. From then on no older key signs, also after that key is retired.
        var superseded: Date?
        for (name, key, from) in keys {
            let end = [name.retiredAt, name.window.notAfter].compactMap(\.self).min()
            let state: State
            if let end, end <= now {
                state = .retired
            } else if from > now {
                state = .published
            } else if let superseded {
                state = now < superseded.addingTimeInterval(Self.retention) ? .verifying : .retired
            } else {
                state = .signing
            }
            if from <= now, end.map({ $0 > from }) ?? true { superseded = from }
            entries.append(Entry(name: name.name, key: key, signsFrom: from, state: state))
        }
        self.entries = entries
        self.sets = sets
    }

    /// The key that signs; nil if there is none.
    package var signer: TokenSigner? { entries.first { $0.state == .signing }?.key.signer }

    /// The keys that are published: all but the retired ones.
    package var published: [TokenSigner] { entries.compactMap { $0.state == .retired ? nil : $0.key.signer } }

    /// Whether the keys are those of an issuer: at least one of them can sign, or could.
    var isIssuer: Bool { !entries.isEmpty }

    /// The keys that verify tokens of an app.
    ///
    /// A key set with the app as its scope counts. One without a scope counts only if there is no key that can sign: otherwise another
    /// issuer could sign tokens in the name of this one (RFC 8725 section 3.8).
    package func verifications(for app: String) -> [TokenKey.Verification] {
        let counting = sets.filter { set in set.scope.map { $0.isByteEqual(to: app) } ?? !isIssuer }
        return entries.filter { $0.state != .retired }.flatMap(\.key.verifications)
            + counting.flatMap(\.key.verifications)
    }

    /// Whether an ID is that of a retired key.
    func isRetired(_ keyID: String) -> Bool {
        entries.contains { $0.state == .retired && $0.key.signer?.keyID.isByteEqual(to: keyID) ?? false }
    }

    /// When the next key should begin to sign, if it must be made now; nil if it is too early. Without a key that signs, the next one
    /// does so at once: verifiers fetch an unknown key.
    package func nextKey(at now: Date) -> Date? {
        guard let signing = entries.first(where: { $0.state == .signing }) else { return now }
        guard !entries.contains(where: { $0.state == .published }) else { return nil }
        let due = signing.signsFrom.addingTimeInterval(Self.period)
        guard now >= due.addingTimeInterval(-Self.lead) else { return nil }
        return max(due, now.addingTimeInterval(Self.lead))
    }
}
