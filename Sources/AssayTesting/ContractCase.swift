/// One rule of a contract.
public struct ContractCase<Subject: Sendable>: Sendable, CustomStringConvertible {
    /// The rule in a few words, unique among the cases of its contract.
    public let name: String
    private let body: @Sendable (Subject) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (Subject) async throws -> Void) {
        self.name = name
        self.body = body
    }

    /// The name.
    public var description: String { name }

    /// Tests an implementation against the rule.
    ///
    /// - Parameter make: makes an empty ledger or storage, which the case may fill.
    /// - Throws: ``ContractViolation`` if the rule is broken, and what `make` and the implementation throw.
    public func run(make: @Sendable () async throws -> Subject) async throws {
        do {
            try await body(make())
        } catch var violation as ContractViolation {
            violation.rule = name
            throw violation
        }
    }
}

/// An implementation breaks its contract.
public struct ContractViolation: Error, Sendable, CustomStringConvertible {
    /// The rule that is broken: the name of a ``ContractCase``.
    package internal(set) var rule = ""
    /// The expected and the found behaviour.
    public let message: String

    /// Rule and message.
    public var description: String { "\(rule): \(message)" }
}

func expect(_ holds: Bool, _ message: @autoclosure () -> String) throws(ContractViolation) {
    if !holds { throw ContractViolation(message: message()) }
}

func expectEqual<Value: Equatable>(
    _ found: Value, _ expected: Value, _ what: @autoclosure () -> String
) throws(ContractViolation) {
    try expect(found == expected, "\(what()): expected \(expected), found \(found)")
}
