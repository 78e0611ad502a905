public import FoundationEssentials

/// The use of a challenge, such as an attestation.
public struct ChallengePurpose: Hashable, Sendable, CustomStringConvertible {
    /// The kind of evidence that may consume the challenge.
    public let name: String

    /// Names a purpose by the kind of evidence that may consume the challenge.
    public init(_ kind: EvidenceKind) { name = kind.name }

    /// The kind of evidence that may consume the challenge.
    public var description: String { name }
}

/// A single-use challenge, bound to an app and a purpose.
public struct IssuedChallenge: Sendable, Equatable {
    /// The challenge's bytes. `Challenge.random` draws 32.
    public let value: [UInt8]
    /// The policy's app.
    public let app: String
    /// The kind of evidence that may consume it.
    public let purpose: ChallengePurpose
    /// When it was issued.
    public let issuedAt: Date
    /// The first time at which it can no longer be consumed.
    public let expiresAt: Date

    /// Describes a challenge.
    public init(value: [UInt8], app: String, purpose: ChallengePurpose, issuedAt: Date, expiresAt: Date) {
        (self.value, self.app, self.purpose) = (value, app, purpose)
        (self.issuedAt, self.expiresAt) = (issuedAt, expiresAt)
    }
}

/// The name of an enrolled key: the engine, and the platform's own identifier.
public struct KeyIdentifier: Hashable, Sendable {
    /// The engine, such as `app-attest`.
    public let engine: String
    /// The platform's identifier; for App Attest the 32 bytes of the key ID.
    public let value: [UInt8]

    /// Names a key.
    public init(engine: String, value: [UInt8]) {
        self.engine = engine
        self.value = value
    }

    /// The name under which the key is blocked or allowed: its identifier in standard base64.
    public var subject: LedgerSubject { LedgerSubject(keyID: value) }
}

/// A key that the ledger has enrolled, with its counter.
public struct EnrolledKey: Sendable, Equatable {
    /// The key's name.
    public let identifier: KeyIdentifier
    /// The policy's app that it was enrolled for.
    public let app: String
    /// The public key; for P-256 the 65-byte X9.63 point.
    public let publicKey: [UInt8]
    /// The counters that were accepted.
    public let counters: CounterState
    /// When it was enrolled.
    public let enrolledAt: Date
    /// Facts that the engine stores with the key, such as the App ID and the environment.
    public let properties: [String: String]
    /// The account of the backend that it belongs to; nil for none.
    public let account: String?
    /// When it was retired, because its account had too many keys; nil while it is in use. A retired key is refused.
    public let retiredAt: Date?

    /// The greatest accepted counter.
    public var counter: UInt32 { counters.greatest }

    /// Describes a key.
    public init(
        identifier: KeyIdentifier, app: String, publicKey: [UInt8], counters: CounterState, enrolledAt: Date,
        properties: [String: String], account: String? = nil, retiredAt: Date? = nil
    ) {
        (self.identifier, self.app, self.publicKey) = (identifier, app, publicKey)
        (self.counters, self.enrolledAt, self.properties) = (counters, enrolledAt, properties)
        (self.account, self.retiredAt) = (account, retiredAt)
    }

    /// Describes a key without skipped counters.
    public init(
        identifier: KeyIdentifier, app: String, publicKey: [UInt8], counter: UInt32, enrolledAt: Date,
        properties: [String: String], account: String? = nil, retiredAt: Date? = nil
    ) {
        self.init(
            identifier: identifier, app: app, publicKey: publicKey, counters: CounterState(greatest: counter),
            enrolledAt: enrolledAt, properties: properties, account: account, retiredAt: retiredAt)
    }

    /// The same key with other counters.
    package func with(_ counters: CounterState) -> EnrolledKey {
        EnrolledKey(
            identifier: identifier, app: app, publicKey: publicKey, counters: counters, enrolledAt: enrolledAt,
            properties: properties, account: account, retiredAt: retiredAt)
    }

    /// The same key with another account.
    package func of(account: String?) -> EnrolledKey {
        EnrolledKey(
            identifier: identifier, app: app, publicKey: publicKey, counters: counters, enrolledAt: enrolledAt,
            properties: properties, account: account, retiredAt: retiredAt)
    }

    /// The same key, retired at a time.
    package func retired(at time: Date) -> EnrolledKey {
        EnrolledKey(
            identifier: identifier, app: app, publicKey: publicKey, counters: counters, enrolledAt: enrolledAt,
            properties: properties, account: account, retiredAt: time)
    }
}

/// The digest of a single-use token or message. A ledger refuses a stored digest, even after its window.
public struct UsedDigest: Sendable, Equatable {
    /// The digest.
    public let digest: [UInt8]
    /// The policy's app.
    public let app: String
    /// The kind of evidence.
    public let kind: EvidenceKind
    /// When the token was made, by its signed content: the start of its window. It does not depend on the policy:
    /// ``LedgerRules/requireRemembered(_:forgotten:)`` can compare it with purged digests.
    public let madeAt: Date
    /// When it was used.
    public let usedAt: Date
    /// The end of the window in which the token is acceptable. The ledger stores the digest at least until this time.
    public let until: Date

    /// Describes a use.
    public init(digest: [UInt8], app: String, kind: EvidenceKind, madeAt: Date, usedAt: Date, until: Date) {
        (self.digest, self.app, self.kind) = (digest, app, kind)
        (self.madeAt, self.usedAt, self.until) = (madeAt, usedAt, until)
    }
}

extension EnrolledKey {
    /// Whether it belongs to an account; nil for none.
    package func isOf(account other: String?) -> Bool {
        switch (account, other) {
        case (nil, nil): true
        case (let account?, let other?): account.isByteEqual(to: other)
        default: false
        }
    }

    /// The order of enrolment; keys enrolled at the same time are in the order of their identifiers.
    package func precedes(_ other: EnrolledKey) -> Bool {
        enrolledAt == other.enrolledAt
            ? identifier.value.lexicographicallyPrecedes(other.identifier.value) : enrolledAt < other.enrolledAt
    }
}
