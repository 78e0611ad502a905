import Assay
import AssayCore
import AssayPrimitives
import Testing

@Suite("Pseudonyms of several services in one process")
struct PseudonymTests {
    private static func policy(_ rule: String) throws -> VerificationPolicy {
        try PolicyFile.parse(
            """
            version: 1
            addresses: \(rule)
            log: { account: \(rule) }
            apps:
              - name: shop
                appAttest:
                  appIDs: [\(Fixtures.appID)]
                  environments: [production]
                  challenge: caller
                  clientData: raw

            """, file: "p.yaml", files: MemoryFiles([:]))
    }

    private static func texts(_ policy: VerificationPolicy) -> [String?] {
        [policy.addresses.text(of: "192.0.2.1"), policy.logAccounts.shown(account: "alice")]
    }

    @Test("They differ between services, and stay the same when the policy is read again")
    func apart() throws {
        func texts(_ rule: String, _ name: String) throws -> [String?] {
            Self.texts(try Self.policy(rule).apart(for: name))
        }
        let (shop, bank) = (try texts("hash", "shop.yaml"), try texts("hash", "bank.yaml"))
        #expect(shop[0] != bank[0] && shop[1] != bank[1])
        #expect(shop != Self.texts(try Self.policy("hash")))
        #expect(try texts("hash", "shop.yaml") == shop)
        #expect(try texts("keep", "shop.yaml") == ["192.0.2.1", "alice"])
        #expect(try texts("drop", "shop.yaml") == [nil, nil])
    }

    @Test("Under a key of the policy, they are those of the key alone")
    func ownKey() throws {
        let key = AddressRule.hash(key: SecretBytes([UInt8](repeating: 7, count: 32)))
        let policy = try VerificationPolicy(
            apps: try Self.policy("keep").apps, catalogue: Verifier.catalogue, addresses: key, logAccounts: key)
        #expect(Self.texts(policy.apart(for: "shop.yaml")) == Self.texts(policy))
    }
}
