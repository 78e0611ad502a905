public import FoundationEssentials

/// A key with its name, what it may be used for, and when.
public struct NamedKey: Sendable {
    /// The name, unique among the keys of a policy and among those of a key store.
    public let name: String
    /// The package name or the policy's app that the key is for, and nil for every app whose policy names the key.
    public let scope: String?
    /// When the key may be used.
    public let window: KeyWindow
    /// Since when the key is no longer used, and nil while it is.
    public let retiredAt: Date?
    /// The key itself.
    public let material: any KeyMaterial

    /// What the key is for.
    public var purpose: KeyPurpose { type(of: material).purpose }

    /// Names a key.
    public init(
        name: String, scope: String? = nil, window: KeyWindow = .always, retiredAt: Date? = nil,
        material: any KeyMaterial
    ) {
        self.name = name
        self.scope = scope
        self.window = window
        self.retiredAt = retiredAt
        self.material = material
    }

    /// The key's state at a time.
    public func state(at time: Date) -> KeyState { window.state(at: time, retiredAt: retiredAt) }
}

/// The time in which a key may be used, both ends included.
public struct KeyWindow: Sendable, Equatable {
    /// From when on, and nil for ever since.
    public let notBefore: Date?
    /// Until when, and nil for ever.
    public let notAfter: Date?

    /// No limits.
    public static let always = KeyWindow(notBefore: nil, notAfter: nil)

    /// States the limits. A window that ends before it begins has no time in it.
    public init(notBefore: Date?, notAfter: Date?) {
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    /// Whether there is no time in it.
    public var isEmpty: Bool {
        guard let notBefore, let notAfter else { return false }
        return notAfter < notBefore
    }

    /// The state at a time of a key that has this window and was retired or not.
    public func state(at time: Date, retiredAt: Date?) -> KeyState {
        if let retiredAt, time >= retiredAt { return .retired(retiredAt) }
        if let notBefore, time < notBefore { return .pending(notBefore) }
        if let notAfter, time > notAfter { return .expired(notAfter) }
        return .live
    }
}

/// Whether a key may be used at a time.
public enum KeyState: Sendable, Equatable, CustomStringConvertible {
    /// It may.
    case live
    /// Not yet.
    case pending(Date)
    /// Not any more, as its window has ended.
    case expired(Date)
    /// Not any more, as it was retired.
    case retired(Date)

    /// The state in a word.
    public var name: String {
        switch self {
        case .live: "live"
        case .pending: "pending"
        case .expired: "expired"
        case .retired: "retired"
        }
    }

    /// The state with its time.
    public var description: String {
        switch self {
        case .live: "live"
        case .pending(let time): "not used before \(RFC3339.format(time))"
        case .expired(let time): "expired at \(RFC3339.format(time))"
        case .retired(let time): "retired at \(RFC3339.format(time))"
        }
    }
}
