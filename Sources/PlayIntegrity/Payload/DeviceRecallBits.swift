/// A value for each of the three bits of device recall; nil for a bit without one.
public struct DeviceRecallBits<Value: Sendable & Equatable>: Sendable, Equatable {
    /// `bitFirst`.
    public var first: Value?
    /// `bitSecond`.
    public var second: Value?
    /// `bitThird`.
    public var third: Value?

    /// Creates values for the bits.
    public init(first: Value? = nil, second: Value? = nil, third: Value? = nil) {
        (self.first, self.second, self.third) = (first, second, third)
    }

    package subscript(bit: DeviceRecallBit) -> Value? {
        get { self[keyPath: bit.property()] }
        set { self[keyPath: bit.property()] = newValue }
    }
}

/// One of the three bits of device recall.
package enum DeviceRecallBit: String, Sendable, CaseIterable {
    case bitFirst
    case bitSecond
    case bitThird

    /// The field of the bit's date.
    var dateField: String {
        switch self {
        case .bitFirst: "yyyymmFirst"
        case .bitSecond: "yyyymmSecond"
        case .bitThird: "yyyymmThird"
        }
    }

    fileprivate func property<Value>() -> WritableKeyPath<DeviceRecallBits<Value>, Value?> {
        switch self {
        case .bitFirst: \.first
        case .bitSecond: \.second
        case .bitThird: \.third
        }
    }
}
