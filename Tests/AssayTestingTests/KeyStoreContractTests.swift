import AssayCore
import AssayTesting
import Foundation
import Testing

@Suite("The contract of key storages")
struct KeyStoreContractTests {
    @Test("The memory storage keeps the contract", arguments: KeyStoreContract.cases)
    func memory(_ contractCase: KeyStoreContract.Case) async throws {
        try await contractCase.run { MemoryKeyStorage() }
    }

    /// The suite would pass for anything if it could not find a storage that breaks the contract.
    @Test("The contract finds a storage that loses all changes, and one that changes the order")
    func broken() async throws {
        // A storage that loses changes breaks all rules. The order matters where several keys are returned.
        #expect(try await violations(of: { ForgetfulStorage() }) == KeyStoreContract.cases.count)
        #expect(try await violations(of: { ReversedStorage() }) >= 3)
        #expect(Set(KeyStoreContract.cases.map(\.name)).count == KeyStoreContract.cases.count)
    }

    private func violations(of make: @Sendable () -> any SealedKeyStorage) async throws -> Int {
        var count = 0
        for contractCase in KeyStoreContract.cases {
            do {
                try await contractCase.run { make() }
            } catch let violation as ContractViolation {
                #expect(violation.rule == contractCase.name)
                count += 1
            } catch is KeyStoreFailure {
                count += 1
            }
        }
        return count
    }
}

/// Decides on changes and drops them.
private struct ForgetfulStorage: SealedKeyStorage {
    var keyLocation: String { "nowhere" }
    func sealedKeys() async throws(KeyStoreOutage) -> [SealedKey] { [] }
    func changeSealedKeys(
        by operatorName: String?, at now: Date, _ decide: @escaping SealedKeyDecision
    ) async throws(KeyStoreFailure) { _ = try decide([], { _ in [] }) }
}

/// Returns the keys in the wrong order.
private struct ReversedStorage: SealedKeyStorage {
    private let base = MemoryKeyStorage()
    var keyLocation: String { base.keyLocation }
    func sealedKeys() async throws(KeyStoreOutage) -> [SealedKey] { try await base.sealedKeys().reversed() }
    func changeSealedKeys(
        by operatorName: String?, at now: Date, _ decide: @escaping SealedKeyDecision
    ) async throws(KeyStoreFailure) { try await base.changeSealedKeys(by: operatorName, at: now, decide) }
}
