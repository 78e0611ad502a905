/// The ledger, the key store or a service cannot be reached. There is no verdict then, and never an acceptance.
public protocol Outage: Error, CustomStringConvertible {
    /// The part that cannot be reached, in words: `ledger`, `key store`.
    static var part: String { get }
    /// A stable code in kebab case.
    var codeName: String { get }
    /// What happened, where, and what to do. It shows no secret.
    var message: String { get }
}

extension Outage {
    /// Part, code and sentence.
    public var description: String { "\(Self.part) outage (\(codeName)): \(message)" }
}
