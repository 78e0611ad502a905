import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("Approov's keys on the command line")
struct KeysApproovTests {
    private static let store = KeysCommandTests.store

    private static func add(_ name: String, _ use: String, _ options: [String]) -> [String] {
        ["keys", "add", name, "--use", use] + options + store
    }

    @Test("Secrets, package keys, key sets and message keys are added, listed with their algorithms, and used")
    func add() throws {
        let scratch = try Scratch()
        try scratch.writeKeys()
        try scratch.writeApproov("token.txt", TestApproov.token().token)
        let keys = try TestApproov.keys()
        try scratch.writeSecret("hardware.pem", TestKey(.p256).pem)
        try scratch.write("keys.json", keys.keySet(es256: "es", rs256: "rs").encoded)
        let table: [(name: String, use: String, options: [String])] = [
            ("now", "approov", ["--secret", "file:secret.b64", "--for", "api"]),
            ("es", "approov", ["--public-key", "file:es.pem", "--key-id", "es", "--algorithm", "ES256"]),
            ("set", "approov", ["--key-set", "file:keys.json"]),
            ("account", "approov-message", ["--secret", "file:account.b64", "--key-id", "acc"]),
            ("hardware", "approov-hardware", ["--private-key", "file:hardware.pem"]),
        ]
        for entry in table {
            let run = try scratch.run(Self.add(entry.name, entry.use, entry.options))
            #expect(run.status == 0, "\(entry.name): \(run.errors)")
        }
        let list = try scratch.run(["keys", "list", "--json"] + KeysCommandTests.ledger)
        let algorithms = Dictionary(
            uniqueKeysWithValues: try list.json().map { ($0["name"] as? String, $0["algorithm"] as? String) })
        #expect(algorithms["now"] == "HS256, A256GCMKW, A256GCM")
        #expect(algorithms["es"] == "ES256 (kid es)" && algorithms["account"] == "hmac-sha256 (mskid acc)")
        #expect(algorithms["hardware"] == "ECDH-ES, A256GCM")
        #expect(algorithms["set"] == "ES256 (kid es), RS256 (kid rs)")
        try scratch.write("policy.yaml", Data("version: 1\napps: [{ name: api, approov: {} }]\n".utf8))
        let verify = ["verify", "--kind", "approov.token", "--policy", "policy.yaml", "token.txt"]
        let run = try scratch.run(verify + Self.store)
        #expect(run.status == 0 && run.output.contains("now"), "\(run.errors)\(run.output)")
        for form in TestKeys.forms(Data(keys.secret)) + TestKeys.forms(Data(keys.messageKey)) {
            #expect(!list.output.contains(form) && !run.output.contains(form))
        }
    }

    @Test("Incompatible parts are refused with the names of their options")
    func refused() throws {
        let scratch = try Scratch()
        try scratch.writeKeys()
        try scratch.writeApproov("token.txt", "")
        let secret = ["--secret", "file:secret.b64"]
        let table: [(use: String, options: [String], status: Int32, words: String)] = [
            ("approov", [], 64, "a key for approov needs one of --secret, --public-key, --key-set"),
            ("approov", ["--key-id", "x"], 64, "needs one of --secret"),
            ("approov", secret + ["--public-key", "file:es.pem"], 2, "secret and publicKey"),
            ("approov", secret + ["--algorithm", "ES256"], 2, "--algorithm: expected HS256"),
            (
                "approov", secret + ["--decryption-key", "file:d"], 64,
                "--decryption-key is no part of a key for approov"
            ),
            ("approov", ["--secret", "file:account.b64"], 2, "--secret: account.b64: expected"),
            ("approov", ["--secret", "file:es.pem"], 2, "a public key is no secret"),
            ("approov-hardware", secret, 64, "a key for approov-hardware needs --private-key"),
            (
                "approov-hardware", ["--private-key", "file:es.pem"], 2,
                "--private-key: es.pem: expected a P-256 private key"
            ),
            ("approov-message", secret, 64, "a key for approov-message needs --key-id"),
            (
                "approov-message", ["--secret", "5ecret", "--key-id", "x"], 64,
                "--secret: expected file:PATH or env:NAME"
            ),
        ]
        for entry in table {
            let run = try scratch.run(Self.add("x", entry.use, entry.options))
            #expect(run.status == entry.status && run.errors.contains(entry.words), "\(entry.options): \(run.errors)")
            #expect(!run.errors.contains("5ecret"))
        }
    }

    @Test("The secret is imported from the vendor tool's output, from a pipe or a file, and is not printed")
    func imported() throws {
        let scratch = try Scratch()
        try scratch.writeKeys()
        let keys = try TestApproov.keys()
        try scratch.writeApproov("token.txt", TestApproov.token().token)
        let text = Data(keys.secret).base64EncodedString()
        let printed = """
            WARNING: updating the token secret will have an immediate impact on your apps in production. If you wish to \
            continue then please enter YES and return:
            YES
            new Approov token secret is \(text)

            """
        let command = ["keys", "import", "approov", "-", "--name", "approov-2026", "--for", "api"] + Self.store
        let run = try scratch.run(command, input: printed)
        #expect(run.status == 0 && run.errors.contains("2 other lines are passed over"), "\(run.errors)")
        try scratch.write("policy.yaml", Data("version: 1\napps: [{ name: api, approov: {} }]\n".utf8))
        let verify = ["verify", "--kind", "approov.token", "--policy", "policy.yaml", "token.txt"]
        #expect(try scratch.run(verify + Self.store).status == 0)
        let again = try scratch.run(command, input: text)
        #expect(again.status == 1 && again.errors.contains("there is a key approov-2026 already"))
        try scratch.writeSecret("open", text, mode: 0o644)
        let file = ["keys", "import", "approov", "open", "--name", "other"] + Self.store
        let open = try scratch.run(file)
        #expect(open.status == 2 && open.errors.contains("chmod 600 open"), "\(open.errors)")
        let two = try scratch.run(
            ["keys", "import", "approov", "-", "--name", "two"] + Self.store,
            input: printed + ApproovTestKeys.secretFile(of: ApproovTestKeys.newSecret()))
        #expect(two.status == 2 && two.errors.contains("2 different texts could be the secret"), "\(two.errors)")
        let inline = try scratch.run(["keys", "import", "approov", text, "--name", "x"] + Self.store)
        #expect(inline.status == 64 && inline.errors.contains("found what may be the secret"), "\(inline.errors)")
        for form in TestKeys.forms(Data(keys.secret)) {
            for run in [run, again, open, two, inline] { #expect(!"\(run.output)\(run.errors)".contains(form)) }
        }
    }
}
