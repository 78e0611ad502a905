import AssayCore
import FoundationEssentials

extension KeyStoreContract {
    /// The behaviour of key stores on the storage.
    static let storeCases: [Case] = [
        Case("a key that one store adds another one opens, until it is removed") { storage in
            let now = Date(timeIntervalSince1970: 1_776_795_192.25)
            let window = KeyWindow(notBefore: now, notAfter: now + 100)
            try await store(storage).add(
                "a", for: ContractSecret.purpose, parts: ContractSecret.parts("first"), scope: "shop", window: window,
                at: now)
            try await store(storage).retire("a", at: now + 50, now: now)
            let keys = try await store(storage).keys(for: ContractSecret.purpose)
            try expectEqual(keys.map(\.name), ["a"], "the names")
            try expectEqual(keys[0].scope, "shop", "the scope")
            try expectEqual(keys[0].window, window, "the window")
            try expectEqual(keys[0].retiredAt, now + 50, "the retirement")
            try expectEqual(text(keys[0]), "first", "the secret")
            try await store(storage).remove("a", at: now)
            let left = try await store(storage).keys(for: ContractSecret.purpose)
            try expectEqual(left.map(\.name), [], "the names after removal")
        },
        Case("of stores that add a key of one name at once exactly one succeeds") { storage in
            let added = try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        do {
                            let secret = "secret \(number)"
                            try await store(storage).add(
                                "a", for: ContractSecret.purpose, parts: ContractSecret.parts(secret), at: Date())
                            return secret
                        } catch KeyStoreFailure.refusal(.nameTaken) {
                            return nil
                        }
                    }
                }
                return try await group.reduce(into: [String]()) { if let secret = $1 { $0.append(secret) } }
            }
            let keys = try await store(storage).keys(for: ContractSecret.purpose)
            try expectEqual(keys.compactMap(text), added, "the secrets of the keys that were added")
            try expectEqual(added.count, 1, "additions that succeeded")
        },
        Case("a store under another master key neither reads nor changes keys") { storage in
            try await store(storage).add(
                "a", for: ContractSecret.purpose, parts: ContractSecret.parts("first"), at: Date())
            let sealed = try await storage.sealedKeys()
            let other = try store(storage, masterKey: 1)
            var codes: [OutageCode] = []
            do throws(KeyStoreOutage) { _ = try await other.keys(for: ContractSecret.purpose) } catch {
                codes.append(error.code)
            }
            do {
                try await other.add("b", for: ContractSecret.purpose, parts: ContractSecret.parts("b"), at: Date())
            } catch KeyStoreFailure.outage(let outage) {
                codes.append(outage.code)
            }
            do {
                try await other.retire("a", at: Date(), now: Date())
            } catch KeyStoreFailure.outage(let outage) {
                codes.append(outage.code)
            }
            try expectEqual(codes, Array(repeating: .wrongMasterKey, count: 3), "the outages")
            try expectEqual(try await storage.sealedKeys(), sealed, "the keys afterwards")
        },
        Case("the master key is changed while stores with both go on, and then the new one alone opens") { storage in
            let now = Date(timeIntervalSince1970: 1_776_795_192)
            func secrets(_ masterKeys: UInt8...) async throws -> [String?] {
                try await store(storage, masterKeys: masterKeys).keys(for: ContractSecret.purpose).map(text)
            }
            for name in ["a", "b"] {
                try await store(storage).add(
                    name, for: ContractSecret.purpose, parts: ContractSecret.parts(name), scope: "shop", at: now)
            }
            try await store(storage).retire("b", at: now + 9, now: now)
            let before = try await storage.sealedKeys()
            try expectEqual(try await secrets(0, 1), ["a", "b"], "the secrets for a store that prefers the former key")
            let both = try store(storage, masterKeys: [1, 0])
            try await both.add("c", for: ContractSecret.purpose, parts: ContractSecret.parts("c"), at: now)
            try expectEqual(try await secrets(0, 1), ["a", "b", "c"], "the secrets under two master keys")
            try expectEqual(try await both.reseal(at: now), ["a", "b"], "the keys that were sealed again")
            try expectEqual(try await both.reseal(at: now), [], "the keys of a second change")
            try expectEqual(try await secrets(1), ["a", "b", "c"], "the secrets under the new master key")
            let after = try await storage.sealedKeys()
            try expectEqual(after.map(\.times).prefix(2), before.map(\.times)[...], "the times")
            try expectEqual(after.map(\.scope), ["shop", "shop", nil], "the scopes")
            do {
                try await store(storage, masterKeys: [2, 0]).reseal(at: now)
                throw ContractViolation(message: "the master key was changed without the one that seals the keys")
            } catch KeyStoreFailure.outage(let outage) {
                try expectEqual(outage.code, .wrongMasterKey, "the outage of a change without the former master key")
            }
            try expectEqual(try await storage.sealedKeys(), after, "the keys after a change that failed")
        },
    ]

    private static func store(_ storage: any SealedKeyStorage, masterKey: UInt8 = 0) throws -> SealedKeyStore {
        try store(storage, masterKeys: [masterKey])
    }

    private static func store(_ storage: any SealedKeyStorage, masterKeys: [UInt8]) throws -> SealedKeyStore {
        let text = masterKeys.map { Data(repeating: $0, count: 32).base64EncodedString() }.joined(separator: "\n")
        return SealedKeyStore(
            storage: storage, masterKey: try MasterKey(text: SecretBytes(Array(text.utf8))),
            materials: [ContractSecret.self])
    }

    private static func text(_ key: NamedKey) -> String? {
        unsafe (key.material as? ContractSecret)?.secret.withUnsafeBytes {
            unsafe String(decoding: $0, as: UTF8.self)
        }
    }
}

/// A key with arbitrary bytes.
struct ContractSecret: KeyMaterial {
    static let purpose = KeyPurpose("contract")
    static let parts = [KeyPart("secret", .secret, isRequired: true, form: "any bytes")]

    let secret: SecretBytes
    let algorithm = "none"

    init(parts: [String: SecretBytes]) throws(KeyError) {
        guard let secret = parts["secret"] else { throw KeyError("missing-part", part: "secret", "it is missing") }
        self.secret = secret
    }

    static func parts(_ text: String) -> [String: SecretBytes] { ["secret": SecretBytes(Array(text.utf8))] }
}
