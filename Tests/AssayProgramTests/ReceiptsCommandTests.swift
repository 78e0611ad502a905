import AssayCore
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("Receipts on the command line")
struct ReceiptsCommandTests {
    private static let policy = """
        version: 1
        apps:
          - name: shop-ios
            appAttest:
              appIDs: [1234567890.com.example.shop]
              environments: [production]
              challenge: ledger
              clientData: raw
              receipt: { keep: plain, maximumRiskMetric: 10, maximumRiskMetricAge: 30d }
        """
    private static let ledger = ["--ledger", "sqlite:ledger.sqlite"]

    @Test("Without kept receipts the list is empty, and a key has none to exchange")
    func empty() throws {
        let scratch = try Scratch()
        #expect(try scratch.run(["challenge", "issue", "--app", "shop-ios"] + Self.ledger).status == 0)
        let list = try scratch.run(["receipts", "list"] + Self.ledger)
        #expect(list.status == 0 && list.output.isEmpty && list.errors.contains("no receipts are kept"))
        try scratch.write("policy.yaml", Data(Self.policy.utf8))
        let key = Data(repeating: 7, count: 32).base64EncodedString()
        let refresh = ["receipts", "refresh", "--policy", "policy.yaml"] + Self.ledger
        let one = try scratch.run(refresh + [key])
        #expect(one.status == 1 && one.errors.contains("no receipt of the key is kept"))
        let all = try scratch.run(refresh)
        #expect(all.status == 0 && all.output.contains("0 receipts were due"))
        #expect(try scratch.run(refresh + ["short"]).status == 64)
        let missing = try scratch.run(["receipts", "list", "--ledger", "sqlite:missing.sqlite"])
        #expect(missing.status == 3)
    }

    @Test("A key of Apple's services is added from its .p8 file, and shown without anything secret")
    func key() throws {
        let scratch = try Scratch()
        let pem = TestKey(.p256, seed: "receipts", label: "account").pem
        try scratch.writeSecret("key.p8", pem)
        try scratch.writeSecret("m", String(repeating: "5a", count: 32))
        let add = [
            "keys", "add", "apple", "--use", "apple-services", "--private-key", "file:key.p8", "--key-id", "ABC123DEFG",
        ]
        let store = Self.ledger + ["--master-key", "file:m"]
        let wrong = try scratch.run(add + ["--team-id", "short"] + store)
        #expect(wrong.status == 2 && wrong.errors.contains("10 capital letters and digits"))
        let added = try scratch.run(add + ["--team-id", "1234567890"] + store)
        #expect(added.status == 0, "\(added.errors)")
        let list = try scratch.run(["keys", "list"] + Self.ledger)
        #expect(list.output.contains("apple-services") && list.output.contains("ES256"))
        #expect(!(list.output + added.output + added.errors).contains(pem.dropFirst(40).prefix(20)))
    }
}
