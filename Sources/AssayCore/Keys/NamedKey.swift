import AssayPrimitives
public import FoundationEssentials

/// A key with its name, scope and window.
public struct NamedKey: Sendable {
    /// The name, unique among the keys of a policy and among the keys of a key store.
    public let name: String
    /// The package name or the policy's app that the key is for; nil if any app may name it in the policy.
    package let scope: String?
    /// When the key may be used.
    package let window: KeyWindow
    /// When the key is retired; nil for never.
    package let retiredAt: Date?
    /// When the key was added to its store; nil for a key of a file.
    package let addedAt: Date?
    /// The key itself.
    package let material: any KeyMaterial

    /// The use of the key.
    package var purpose: KeyPurpose { type(of: material).purpose }

    package init(
        name: String, scope: String? = nil, window: KeyWindow = .always, retiredAt: Date? = nil,
        addedAt: Date? = nil, material: any KeyMaterial
    ) {
        (self.name, self.scope, self.window) = (name, scope, window)
        (self.retiredAt, self.addedAt, self.material) = (retiredAt, addedAt, material)
    }

    /// The key's state at a time.
    package func state(at time: Date) -> KeyState { window.state(at: time, retiredAt: retiredAt) }

    /// Since when the key can be used: the beginning of its window, and not before it was added; the distant past for a key of a
    /// file without a window.
    package var usableFrom: Date { max(window.notBefore ?? .distantPast, addedAt ?? .distantPast) }
}

extension Sequence<NamedKey> {
    /// The key that signs, of several that may: the one that is usable since last, in every server the same; of equal ones the
    /// first. Names play no part.
    package var newest: NamedKey? { self.max { $0.usableFrom < $1.usableFrom } }
}

/// The period in which a key may be used, both ends included.
public struct KeyWindow: Sendable, Equatable {
    /// The beginning; nil for none.
    package let notBefore: Date?
    /// The end; nil for none.
    package let notAfter: Date?

    /// How long before the end of a key commands and the service's log warn, in seconds, as the alert `AssayKeyEnds` does.
    package static let notice: Double = 14 * 86_400

    /// Always: no beginning and no end.
    public static let always = KeyWindow(notBefore: nil, notAfter: nil)

    /// States the limits. A window that ends before it begins is empty.
    public init(notBefore: Date?, notAfter: Date?) {
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    /// Whether the window ends before it begins.
    package var isEmpty: Bool {
        guard let notBefore, let notAfter else { return false }
        return notAfter < notBefore
    }

    /// The state of a key at a time.
    package func state(at time: Date, retiredAt: Date?) -> KeyState {
        if let retiredAt, time >= retiredAt { return .retired(retiredAt) }
        if let notBefore, time < notBefore { return .pending(notBefore) }
        if let notAfter, time > notAfter { return .expired(notAfter) }
        return .live
    }
}

/// The state of a key at a time.
package enum KeyState: Sendable, Equatable, CustomStringConvertible {
    /// The key may be used.
    case live
    /// Not yet: its window begins later.
    case pending(Date)
    /// No longer: its window has ended.
    case expired(Date)
    /// No longer: it was retired.
    case retired(Date)

    /// The state in a word.
    package var name: String {
        switch self {
        case .live: "live"
        case .pending: "pending"
        case .expired: "expired"
        case .retired: "retired"
        }
    }

    /// The state and its time.
    package var description: String {
        switch self {
        case .live: "live"
        case .pending(let time): "not used before \(RFC3339.format(time))"
        case .expired(let time): "expired at \(RFC3339.format(time))"
        case .retired(let time): "retired at \(RFC3339.format(time))"
        }
    }
}
