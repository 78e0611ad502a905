/// A list of revoked attestation keys to write, in the form of `https://android.googleapis.com/attestation/status`.
///
///     var list = AndroidStatusListBlueprint()
///     list.add(serialNumber: serialNumber, status: .revoked, reason: .keyCompromise)
///     let json = list.json
public struct AndroidStatusListBlueprint: Sendable {
    /// The state of a key.
    public struct Status: Sendable, Equatable {
        package var text: String

        package init(_ text: String) { self.text = text }

        /// The key is revoked.
        public static let revoked = Status("REVOKED")
        /// The key is suspended.
        public static let suspended = Status("SUSPENDED")
    }

    /// The reason of a state.
    public struct Reason: Sendable, Equatable {
        package var text: String

        package init(_ text: String) { self.text = text }

        /// No reason is given.
        public static let unspecified = Reason("UNSPECIFIED")
        /// The private key is known.
        public static let keyCompromise = Reason("KEY_COMPROMISE")
        /// The private key of an issuer is known.
        public static let caCompromise = Reason("CA_COMPROMISE")
        /// Another key has taken its place.
        public static let superseded = Reason("SUPERSEDED")
        /// The software of the device has a flaw.
        public static let softwareFlaw = Reason("SOFTWARE_FLAW")
    }

    /// The form of a serial number. Google's list has both.
    public enum SerialNumberForm: Sendable {
        /// Lower-case hexadecimal without leading zeros.
        case hexadecimal
        /// Decimal.
        case decimal
    }

    /// The entries in order, each an object. Duplicates are written as given.
    package var entries: [JSONItem.Member] = []
    /// A last change to the document.
    package var changeEncoded: @Sendable ([UInt8]) -> [UInt8] = { $0 }

    /// Creates an empty list.
    public init() {}

    /// Adds an entry.
    ///
    /// - Parameter serialNumber: The serial number of a certificate, big-endian.
    public mutating func add(
        serialNumber: [UInt8], form: SerialNumberForm = .hexadecimal, status: Status, reason: Reason? = nil,
        comment: String? = nil, expires: String? = nil
    ) {
        add(Self.text(of: serialNumber, form), status: status, reason: reason, comment: comment, expires: expires)
    }

    /// Adds an entry with any name.
    package mutating func add(
        _ name: String, status: Status, reason: Reason? = nil, comment: String? = nil, expires: String? = nil
    ) {
        let optional = [("reason", reason?.text), ("comment", comment), ("expires", expires)]
        let fields =
            [JSONItem.Member("status", .text(status.text))]
            + optional.compactMap { field, text in text.map { JSONItem.Member(field, .text($0)) } }
        entries.append(JSONItem.Member(name, .object(fields)))
    }

    /// The name of a serial number in the list.
    package static func text(of serialNumber: [UInt8], _ form: SerialNumberForm) -> String {
        switch form {
        case .decimal: return BigNumber(serialNumber).decimal
        case .hexadecimal:
            let digits = AndroidKeyTestAuthority.hex(serialNumber).drop { $0 == "0" }
            return digits.isEmpty ? "0" : String(digits)
        }
    }

    /// The document: JSON in UTF-8.
    public var json: [UInt8] {
        changeEncoded(JSONItem.object([JSONItem.Member("entries", .object(entries))]).encoded)
    }
}
