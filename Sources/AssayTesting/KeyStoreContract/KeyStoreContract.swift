public import AssayCore
import FoundationEssentials
import Synchronization

/// The time of the changes.
private let now = Date(timeIntervalSince1970: 1_776_795_192)

/// The contract of ``SealedKeyStorage``: cases for any implementation and any test framework.
///
/// ```swift
/// for contractCase in KeyStoreContract.cases {
///     try await contractCase.run { MyStorage(inNewDatabase: true) }
/// }
/// ```
public enum KeyStoreContract {
    /// One rule of the contract.
    public typealias Case = ContractCase<any SealedKeyStorage>

    /// All rules. A later version may add cases that a storage fails, even if it passed before.
    public static let cases: [Case] = storageCases + changeCases + storeCases

    private static let storageCases: [Case] = [
        Case("a key is returned as it was inserted") { storage in
            let keys = [
                key("a"),
                key("b", scope: "", sealed: []),
                key("c", scope: "caf\u{E9} \u{1F511} ' \" \\ %", sealed: Array(0...255)),
                key("d", times: .init(notBefore: .min, notAfter: .max, retiredAt: -1, addedAt: 0)),
                key("e", times: .init(notBefore: nil, notAfter: 1_776_795_192_000_001, retiredAt: nil, addedAt: .max)),
            ]
            for key in keys { try await storage.insert(key) }
            try await storage.expectKeys(keys)
        },
        Case("keys are returned in the order of the bytes of their names") { storage in
            for name in ["b", "\u{10000}", "a", "Z", "\u{FFFD}", "\u{E9}", "e\u{301}", "10", "9"] {
                try await storage.insert(key(name))
            }
            try await storage.expectKeys(
                ["10", "9", "Z", "a", "b", "e\u{301}", "\u{E9}", "\u{FFFD}", "\u{10000}"].map { key($0) })
        },
        Case("names that differ in a byte are different keys") { storage in
            // U+00E9 versus e with U+0301: Swift's == equates them.
            let names = ["caf\u{E9}", "cafe\u{301}", "cafe", "Cafe", "cafe "]
            for name in names { try await storage.insert(key(name)) }
            try await storage.change(.replace(key(names[0], sealed: [7])))
            try await storage.removeSealedKey(names[1], at: now)
            try await storage.expectKeys([
                key("Cafe"), key("cafe"), key("cafe "), key(names[0], sealed: [7]),
            ])
        },
    ]

    private static let changeCases: [Case] = [
        Case("a replaced key has the new fields, and no other key changes") { storage in
            for name in ["a", "b", "c"] { try await storage.insert(key(name)) }
            let changed = key(
                "b", scope: "shop", times: .init(notBefore: 1, notAfter: 2, retiredAt: 3, addedAt: 4), sealed: [1, 2])
            try await storage.change(.replace(changed))
            try await storage.expectKeys([key("a"), changed, key("c")])
        },
        Case("a removed key is gone, and its name can be used again") { storage in
            try await storage.insert(key("a"))
            try await storage.insert(key("b"))
            try await storage.removeSealedKey("a", at: now)
            try await storage.expectKeys([key("b")])
            try await storage.expectRefusal(.unknownName("a")) { try await storage.removeSealedKey("a", at: now) }
            try await storage.insert(key("a", sealed: [9]))
            try await storage.expectKeys([key("a", sealed: [9]), key("b")])
        },
        Case("a change that is refused changes nothing, and its error is thrown") { storage in
            try await storage.insert(key("a"))
            try await storage.expectRefusal(.nameTaken("a")) {
                try await storage.changeSealedKeys(by: nil, at: now) { (_, _) throws(KeyStoreFailure) in
                    throw .refusal(.nameTaken("a"))
                }
            }
            let outage = KeyStoreOutage(.wrongMasterKey, "test")
            do throws(KeyStoreFailure) {
                try await storage.changeSealedKeys(by: nil, at: now) { (_, _) throws(KeyStoreFailure) in
                    throw .outage(outage)
                }
                throw .refusal(.emptyWindow)
            } catch {
                guard case .outage(outage) = error else {
                    throw ContractViolation(message: "an outage of the decision became \(error)")
                }
            }
            try await storage.expectKeys([key("a")])
        },
        Case("a key is read with the origin of the last change of its name, which no other change has") { storage in
            var origins: [[UInt8]] = []
            func change(_ change: SealedKeyChange) async throws {
                let seen = Mutex<[UInt8]>([])
                try await storage.changeSealedKeys(by: "ops", at: now) { _, origin in
                    seen.withLock { $0 = origin(change) }
                    return change
                }
                origins.append(seen.withLock { $0 })
            }
            func expectOrigins(_ expected: [Int]) async throws {
                try expectEqual(
                    try await storage.sealedKeys().map(\.origin), expected.map { origins[$0] },
                    "the origins of the keys")
            }
            try await change(.insert(key("a")))
            try await change(.insert(key("b")))
            try await expectOrigins([0, 1])
            try await change(.replace(key("a", times: .init(notBefore: nil, notAfter: nil, retiredAt: 7, addedAt: 5))))
            try await expectOrigins([2, 1])
            try await change(.remove(name: "a"))
            try await change(.insert(key("a")))
            try await expectOrigins([4, 1])
            try expectEqual(Set(origins).count, 5, "different origins")
        },
        Case("of racing changes each sees those before it") { storage in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        try await storage.changeSealedKeys(by: nil, at: now) { keys, _ in
                            .insert(key("k\(number)", sealed: [UInt8(keys.count)]))
                        }
                    }
                }
                try await group.waitForAll()
            }
            let order = try await storage.sealedKeys().flatMap(\.sealed).sorted()
            try expectEqual(order, Array(0..<50), "the number of keys that each of 50 insertions saw")
        },
    ]

    static func key(
        _ name: String, scope: String? = nil,
        times: SealedKey.Times = .init(notBefore: nil, notAfter: nil, retiredAt: nil, addedAt: 5),
        sealed: [UInt8] = [1, 0, 255]
    ) -> SealedKey {
        SealedKey(
            name: name, purpose: ContractSecret.purpose, scope: scope, algorithm: "none", times: times,
            masterKeyID: [0, 1, 2, 3, 4, 5, 6, 255], sealed: sealed)
    }
}

extension SealedKeyStorage {
    fileprivate func change(_ change: SealedKeyChange) async throws {
        try await changeSealedKeys(by: nil, at: now) { _, _ in change }
    }

    fileprivate func insert(_ key: SealedKey) async throws { try await change(.insert(key)) }

    fileprivate func expectKeys(_ expected: [SealedKey]) async throws {
        let found = try await sealedKeys()
        try expectEqual(found.map { $0.with(origin: []) }, expected, "the keys")
        try expectEqual(
            found.map { Array($0.name.utf8) }, expected.map { Array($0.name.utf8) }, "the bytes of the names")
    }

    func expectRefusal(_ expected: KeyStoreRefusal, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch KeyStoreFailure.refusal(let refusal) {
            return try expectEqual(refusal, expected, "the refusal")
        }
        throw ContractViolation(message: "\(expected) was expected, and the change was made")
    }
}
