public import AssayCore

/// The contract that every ``Ledger`` keeps, as cases that can be run against any implementation, in any test framework.
///
/// ```swift
/// for contractCase in LedgerContract.cases {
///     try await contractCase.run { MyLedger(inNewDatabase: true) }
/// }
/// ```
///
/// A ledger that passes may stand behind verdicts: in particular, of racing commits exactly one gets what only one
/// can have, and a refusal changes nothing.
public enum LedgerContract {
    /// One rule of the contract.
    public struct Case: Sendable, CustomStringConvertible {
        /// The rule in a few words, unique among the cases.
        public let name: String
        private let body: @Sendable (any Ledger) async throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (any Ledger) async throws -> Void) {
            self.name = name
            self.body = body
        }

        /// The name.
        public var description: String { name }

        /// Holds a ledger against the rule.
        ///
        /// - Parameter make: makes an empty ledger, which the case may fill.
        /// - Throws: ``ContractViolation`` when the ledger breaks the rule, and what `make` and the ledger throw.
        public func run(make: @Sendable () async throws -> any Ledger) async throws {
            do {
                try await body(make())
            } catch var violation as ContractViolation {
                violation.rule = name
                throw violation
            }
        }
    }

    /// All rules. Cases only ever join; a ledger that passed may fail a later version of the contract.
    public static let cases: [Case] =
        challengeCases + keyCases + counterCases + commitCases + blockCases + allowanceCases + digestCases
        + forgettingCases + exportCases + raceCases
}

/// A ledger breaks its contract.
public struct ContractViolation: Error, Sendable, CustomStringConvertible {
    /// The rule that is broken: the name of a ``LedgerContract/Case``.
    public internal(set) var rule = ""
    /// What was expected, and what the ledger did.
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
