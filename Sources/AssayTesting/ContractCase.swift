/// One rule of a contract.
public struct ContractCase<Subject: Sendable>: Sendable, CustomStringConvertible {
    /// The rule in a few words, unique within its contract.
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
    /// - Parameter make: Creates an empty ledger or storage. The case may fill it.
    /// - Throws: ``ContractViolation`` if the rule is broken, and the errors of `make` and the implementation.
    public func run(make: @Sendable () async throws -> Subject) async throws {
        do {
            try await body(make())
        } catch var violation as ContractViolation {
            violation.rule = name
            throw violation
        }
    }
}

/// An implementation broke its contract.
public struct ContractViolation: Error, Sendable, CustomStringConvertible {
    /// The broken rule: the name of a ``ContractCase``.
    package internal(set) var rule = ""
    /// The expected and the observed behaviour.
    public let message: String

    /// The rule and the message.
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
