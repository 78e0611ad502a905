package import AssayCore
package import FoundationEssentials
import Synchronization

/// The state of each key of an issuer at a given time, computed from stored times only, so that servers with the same keys agree. A new
/// key is published immediately, signs from its `notBefore` or the time it was added until the `notBefore` of a newer key, verifies
/// until its last token has expired, and is retired then, or when an operator retires it.
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
        package let key: TokenKey
        /// The first time at which it signs.
        package let signsFrom: Date
        /// The use at the time of the schedule.
        package let state: State
    }

    /// All keys that can sign, the one that signs last first.
    package let entries: [Entry]
    /// Public key sets of other issuers that are live. `scope` is the only policy app that a set serves; nil for all
    /// apps.
    private let sets: [(scope: String?, key: TokenKey)]

    /// Computes the uses at a time of the keys that a store has.
    package init(_ named: [NamedKey], at now: Date) {
        var keys: [(named: NamedKey, key: TokenKey, from: Date)] = []
        var sets: [(scope: String?, key: TokenKey)] = []
        for name in named {
            guard let key = name.material as? TokenKey else { continue }
            if key.signer != nil {
                keys.append((name, key, name.window.notBefore ?? name.addedAt ?? .distantPast))
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

    /// True if the store has at least one private key, in any state: this server is an issuer.
    var isIssuer: Bool { !entries.isEmpty }

    /// The keys that verify tokens of an app. A key set without a scope counts only if no key can sign: otherwise another issuer could
    /// sign tokens in the name of this one (RFC 8725 section 3.8).
    package func verifications(for app: String) -> [TokenKey.Verification] {
        let counting = sets.filter { set in set.scope.map { $0.isByteEqual(to: app) } ?? !isIssuer }
        return entries.filter { $0.state != .retired }.flatMap(\.key.verifications)
            + counting.flatMap(\.key.verifications)
    }

    func isRetired(_ keyID: String) -> Bool {
        entries.contains { $0.state == .retired && $0.key.signer?.keyID.isByteEqual(to: keyID) ?? false }
    }

    /// The time from which a new key should sign, if it must be created now; nil if it is too early. If no key signs,
    /// the new key signs at once: verifiers fetch keys that they do not know.
    package func nextKey(at now: Date) -> Date? {
        guard let signing = entries.first(where: { $0.state == .signing }) else { return now }
        guard !entries.contains(where: { $0.state == .published }) else { return nil }
        let due = signing.signsFrom.addingTimeInterval(Self.period)
        guard now >= due.addingTimeInterval(-Self.lead) else { return nil }
        return max(due, now.addingTimeInterval(Self.lead))
    }
}

/// Caches the schedule for one second, because key states change only at whole seconds.
final class TokenKeyMemo: Sendable {
    private struct Entry {
        let named: [NamedKey]
        let second: Double
        let schedule: TokenKeySchedule
    }

    private let entry = Mutex<Entry?>(nil)

    /// The schedule of keys at a time. Arrays are compared by storage address, which costs less than comparing keys.
    func schedule(of named: [NamedKey], at now: Date) -> TokenKeySchedule {
        let second = now.timeIntervalSince1970.rounded(.down)
        let found = entry.withLockIfAvailable { entry -> TokenKeySchedule? in
            guard let entry, entry.second == second, Self.isSameArray(entry.named, named) else { return nil }
            return entry.schedule
        }
        if let schedule = found ?? nil { return schedule }
        // At the start of the second, so that every moment of it has one schedule.
        let schedule = TokenKeySchedule(named, at: Date(timeIntervalSince1970: second))
        entry.withLock { $0 = Entry(named: named, second: second, schedule: schedule) }
        return schedule
    }

    private static func isSameArray(_ left: [NamedKey], _ right: [NamedKey]) -> Bool {
        left.withUnsafeBufferPointer { left in
            right.withUnsafeBufferPointer { right in
                left.baseAddress == right.baseAddress && left.count == right.count
            }
        }
    }
}

extension TokenKeySchedule {
    /// The published keys as a JSON Web Key Set (RFC 7517 section 5), the one that signs last first.
    package var keySet: String {
        let keys = published.map { signer in
            let (x, y) = JWKThumbprint.coordinates(signer.publicPoint)
            return
                #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","use":"sig","alg":"ES256","kid":"\#(signer.keyID)"}"#
        }
        return #"{"keys":[\#(keys.joined(separator: ","))]}"#
    }
}

extension TokenConfiguration {
    /// The path of the key set below the issuer.
    package static let keySetPath = "/.well-known/jwks.json"
    /// The path of the metadata below the issuer.
    package static let metadataPath = "/.well-known/openid-configuration"

    /// The metadata by which ordinary JWT libraries find the keys (OpenID Connect Discovery 1.0 section 3). The issuer has no
    /// endpoints for users, and client attestations have no metadata of the attester.
    package var metadata: String {
        """
        {"issuer":\(RecordJSON.quoted(values.issuer)),"jwks_uri":\(RecordJSON.quoted(values.issuer + Self.keySetPath)),\
        "response_types_supported":[],"subject_types_supported":["pairwise"],\
        "id_token_signing_alg_values_supported":["ES256"],"dpop_signing_alg_values_supported":["ES256"]}
        """
    }
}
