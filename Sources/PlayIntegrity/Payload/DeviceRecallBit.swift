/// One of the three bits of device recall.
public enum DeviceRecallBit: String, Sendable, CaseIterable {
    /// The first.
    case bitFirst
    /// The second.
    case bitSecond
    /// The third.
    case bitThird

    /// The field of the bit's date.
    var dateField: String {
        switch self {
        case .bitFirst: "yyyymmFirst"
        case .bitSecond: "yyyymmSecond"
        case .bitThird: "yyyymmThird"
        }
    }
}

/// Something that is told of each of the three bits, or not.
public struct DeviceRecallBits<Value: Sendable & Equatable>: Sendable, Equatable {
    private var first: Value?
    private var second: Value?
    private var third: Value?

    /// What is told of a bit, and nil for nothing.
    public internal(set) subscript(bit: DeviceRecallBit) -> Value? {
        get {
            switch bit {
            case .bitFirst: first
            case .bitSecond: second
            case .bitThird: third
            }
        }
        set {
            switch bit {
            case .bitFirst: first = newValue
            case .bitSecond: second = newValue
            case .bitThird: third = newValue
            }
        }
    }
}
