import AssayTestSupport
import AssayTesting
import Foundation
import Testing

/// What the commands say and write, of good input and of bad.
@Suite("Secrets and the command line", .timeLimit(.minutes(20)))
struct CommandTests {
    private let account: SecretAccount
    private var keys: [SecretForms] {
        account.ofPolicy + [account.master, account.serviceKey, account.serviceKeyText]
    }

    init() throws { account = try SecretAccount() }

    private func run(
        _ line: String, _ status: Int32, input: String = "", environment: [String: String] = [:],
        and secrets: [SecretForms] = []
    ) throws {
        let run = try account.assay(line, input: input, environment: environment)
        #expect(run.status == status, "\(line): \(run.text.prefix(2000))")
        for secret in keys + secrets { #expect(secret.found(in: run.said) == [], "\(line)") }
    }

    @Test("Commands on keys show no key, valid or not, and the store holds only sealed keys")
    func keyStore() throws {
        let store = "--ledger sqlite:ledger --master-key file:master"
        let secret = account.keys.secretFile
        let adds = [
            "keys add a1 --use approov --secret file:secret",
            "keys add m1 --use approov-message --secret file:message --key-id account-key",
            "keys add p1 --use play-integrity --decryption-key file:decryption --verification-key file:verification",
        ]
        for add in adds { try run("\(add) \(store)", 0) }
        try run("\(adds[0]) \(store)", 1)
        try run("keys import approov - --name a2 \(store)", 0, input: "the secret is \(secret)")
        try run("keys import approov - --name a3 \(store)", 2, input: secret.dropLast(8) + "\n")
        try run("keys import approov - --name a3 \(store)", 2, input: secret + account.otherKeys.secretFile)
        try run("keys add x --use approov --secret env:SECRET \(store)", 0, environment: ["SECRET": secret])
        try run("keys add y --use approov --secret env:SECRET \(store)", 2, environment: ["SECRET": "x" + secret])
        for wrong in ["message", "decryption", "verification", "account.json"] {
            try run("keys add y --use approov --secret file:\(wrong) \(store)", 2)
        }
        for wrong in ["secret", "verification", "account.json"] {
            try run("keys retire a1 --ledger sqlite:ledger --master-key file:\(wrong)", 2)
            let keys = "--decryption-key file:\(wrong) --verification-key file:secret"
            try run("keys add y --use play-integrity \(keys) \(store)", 2)
        }
        // The secret itself where its source belongs.
        try run("keys add y --use approov --secret \(secret) \(store)", 64)
        let inline = "--ledger sqlite:ledger --master-key \(account.masterKeyText)"
        try run("keys add y --use approov --secret file:secret \(inline)", 64)
        for list in ["keys list", "keys list --json", "ledger export"] {
            try run("\(list) --ledger sqlite:ledger", 0)
        }
        try run("keys retire a1 \(store)", 0)
        try run("keys remove a2 --ledger sqlite:ledger", 0)
        let files = try account.files(with: keys)
        #expect(files == ["account.json", "decryption", "master", "message", "secret"])
    }

    @Test("Verdicts, tables, replays, reports and captures of good and bad evidence show no key and no credential")
    func evidence() throws {
        let (lines, credentials) = try account.records()
        try account.folder.write("records.ndjson", lines.joined(separator: "\n") + "\n")
        let shown = credentials + [account.proofKey]
        try run("verify --policy policy.yaml --as-captured records.ndjson", 1, and: shown)
        try run("verify --policy policy.yaml --as-captured --json records.ndjson", 1, and: shown)
        try run("verify --policy apps.yaml --as-captured records.ndjson", 2, and: shown)
        try run(
            "replay --policy policy.yaml records.ndjson --json --report report.html", 0,
            and: shown)
        try run("inspect --policy policy.yaml --as-captured records.ndjson", 1, and: [account.proofKey])
        try run("inspect --full --json records.ndjson", 0, and: [account.proofKey])
        try run("inspect account.json", 0)
        try run("capture key --output capture", 0)
        try run("capture redact records.ndjson", 0, and: shown)
        try run("capture seal --to file:capture/capture-public.key records.ndjson", 0, and: shown)
        try run("verify --policy policy.yaml --as-captured --json broken.ndjson", 2, and: shown)
        #expect(try account.files(with: keys) == ["account.json", "decryption", "master", "message", "secret"])
        #expect(try account.files(with: shown) == ["records.ndjson"])
        let mode = try FileManager.default.attributesOfItem(atPath: account.folder.path("capture/capture-private.key"))
        #expect(mode[.posixPermissions] as? Int == 0o600)
    }

    @Test("An unreachable Google is an outage that shows nothing of the account's key")
    func serviceAccount() throws {
        let token = String(repeating: "abcd", count: 64)
        let record = #"""
            {"id":"x","kind":"play-integrity.standard","receivedAt":"2026-11-19T00:00:00Z","evidence":\#
            {"packageName":"com.example.shop","requestHash":"aGFzaA","token":"\#(token)"}}
            """#
        try account.folder.write("record.json", record)
        let credential = SecretForms("the token", text: token)
        try run(
            "verify --policy policy.yaml --as-captured --service-account file:account.json record.json", 3,
            and: [credential])
        for wrong in ["secret", "record.json", "policy.yaml"] {
            try run(
                "verify --policy policy.yaml --as-captured --service-account file:\(wrong) record.json", 2,
                and: [credential])
        }
    }

    @Test("A minted secret is only in its file, which has mode 0600")
    func newSecret() throws {
        let run = try account.assay("mint approov token --new-secret minted")
        #expect(run.status == 0, "\(run.text)")
        let text = try String(contentsOfFile: account.folder.path("minted"), encoding: .utf8)
        let bytes = try #require(Data(base64Encoded: text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(bytes.count == 64)
        let secret = SecretForms("the new secret", bytes: Array(bytes))
        #expect(secret.found(in: run.said) == [])
        #expect(try account.files(with: [secret]) == ["minted"])
        let mode = try FileManager.default.attributesOfItem(atPath: account.folder.path("minted"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }
}
