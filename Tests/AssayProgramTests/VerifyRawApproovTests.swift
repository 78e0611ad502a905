import AssayCore
import AssayPrimitives
import AssayTestSupport
import AssayTesting
import Foundation
import Testing

@Suite("assay verify, raw evidence of Approov")
struct VerifyRawApproovTests {
    private static let token = ["verify", "--kind", "approov.token", "token.txt"]
    private static let secret = ["--secret", "file:secret.b64"]

    @Test("A token is verified with secrets from files and the environment; the verdict has key, device and ARC")
    func token() throws {
        let scratch = try Scratch()
        let minted = try TestApproov.token()
        try scratch.writeApproov("token.txt", "\n \(minted.token)\r\n")
        let run = try scratch.run(Self.token + Self.secret + ["--json"])
        let verdict = try #require(try run.json().first, "\(run.errors)")
        let subject = try #require(verdict["subject"] as? [String: Any])
        #expect(run.status == 0 && verdict["outcome"] as? String == "accept", "\(run.output)")
        #expect(subject["key"] as? String == "file:secret.b64")
        #expect(subject["deviceId"] as? String == TestApproov.deviceID && subject["arc"] as? String == "ABCDEF")
        let keys = try TestApproov.keys()
        let other = try ApproovTestKeys(seed: "assay command line", label: "old")
        let environment = try scratch.run(
            Self.token + ["--secret", "env:OLD", "--secret", "env:NOW"],
            environment: ["OLD": other.secretFile, "NOW": keys.secretFile])
        #expect(environment.status == 0, "\(environment.errors)\(environment.output)")
        try scratch.write("token.txt", Data("\u{FEFF}\(minted.token)".utf8))
        let marked = try scratch.run(Self.token + Self.secret)
        #expect(marked.status == 0 && marked.errors.contains("byte order mark"), "\(marked.errors)")
        for form in TestKeys.forms(Data(keys.secret)) {
            #expect(!"\(run.output)\(run.errors)\(environment.output)\(environment.errors)".contains(form))
        }
    }

    @Test("Loggable tokens, status words, encrypted tokens and those of public keys are distinguished")
    func forms() throws {
        let scratch = try Scratch()
        let encrypted = ["--token-format", "jwe"]
        let table: [(text: String, options: [String], status: Int32, words: String)] = [
            (try TestApproov.token().loggable, Self.secret, 64, "expected a token, found a JSON object"),
            (try TestApproov.token().loggable, Self.secret + ["--loggable"], 0, "a loggable token"),
            (try TestApproov.token().token, Self.secret + ["--loggable"], 1, "approov.token.decode:"),
            (
                try TestApproov.token().loggable,
                Self.secret + ["--loggable", "--binding-header", "Authorization=x", "--failover", "reject"], 64,
                "--binding-header and --loggable exclude each other"
            ),
            ("MITM_DETECTED\n", Self.secret, 1, "rejected because: approov.token.decode:"),
            (try TestApproov.token(.encrypted).token, Self.secret + encrypted, 0, "ACCEPTED"),
            (try TestApproov.token(.encrypted).token, Self.secret, 1, "approov.token.decode:"),
            (try TestApproov.token().token, Self.secret + encrypted, 1, "approov.token.decode:"),
            (try TestApproov.token(.signedES256).token, ["--token-public-key", "file:es.pem"], 0, "ACCEPTED"),
            (try TestApproov.token().token, ["--token-public-key", "file:es.pem"], 1, "approov.token.key:"),
            ("Bearer \(try TestApproov.token().token)", Self.secret, 1, "approov.token.decode:"),
            ("Bearer \(try TestApproov.token().token)", Self.secret + ["--token-prefix", "Bearer "], 0, "ACCEPTED"),
        ]
        for entry in table {
            try scratch.writeApproov("token.txt", entry.text)
            let run = try scratch.run(Self.token + entry.options)
            #expect(run.status == entry.status, "\(entry.options): \(run.errors)\(run.output)")
            #expect("\(run.output)\(run.errors)".contains(entry.words), "\(entry.options): \(run.output)\(run.errors)")
        }
    }

    @Test("The token is compared with the options")
    func options() throws {
        let scratch = try Scratch()
        let minted = try TestApproov.token { claims in
            claims.bind(to: [TestApproov.bound, "my-device-id"])
            claims[.annotations] = .array([.text("rooted")])
        }
        try scratch.writeApproov("token.txt", minted.token)
        try scratch.write("session", Data("\(TestApproov.bound)\n".utf8))
        let first = ["--binding-header", "Authorization=\(TestApproov.bound)"]
        let second = ["--binding-header", "X-Device-ID=my-device-id"]
        let reject = ["--failover", "reject"]
        let table: [(options: [String], status: Int32, words: String)] = [
            (first + second + reject, 0, "ACCEPTED"),
            (["--binding-header", "Authorization=file:session"] + second + reject, 0, "ACCEPTED"),
            (second + first + reject, 1, "rejected because: approov.token.binding:"),
            (first + reject, 1, "approov.token.binding:"),
            (first + first + second + reject, 64, "is in the list twice"),
            (first + second, 64, "--failover is required with --binding-header"),
            (["--binding-header", "Authorization"] + reject, 64, "expected NAME=VALUE"),
            (["--binding-header", "a b=x"] + reject, 64, "--binding-header: expected the name of an HTTP field"),
            (["--reject-annotation", "rooted"], 1, "approov.token.annotations:"),
            (["--maximum-lifetime", "10s"], 1, "approov.token.expiry:"),
            (["--at", "2999-01-01T00:00:00Z"], 1, "approov.token.expiry:"),
            (["--address", "203.0.113.8"], 0, "approov.token.address"),
            (["--signer", "account"], 64, "approov.token has no option --signer"),
            (["--token-format", "jwt"], 64, "--token-format: expected one of jws, jwe, found"),
        ]
        for entry in table {
            let run = try scratch.run(Self.token + Self.secret + entry.options)
            #expect(run.status == entry.status, "\(entry.options): \(run.errors)\(run.output)")
            #expect("\(run.output)\(run.errors)".contains(entry.words), "\(entry.options): \(run.output)\(run.errors)")
        }
    }

    @Test("Options allow issuers, audiences and tokens of the failover service")
    func sources() throws {
        let scratch = try Scratch()
        let time = TestApproov.expiresAt
        let table: [(claims: ApproovClaimsBlueprint, options: [String], status: Int32)] = [
            (.longLived(issuer: "batch", expiresAt: time), [], 1),
            (.longLived(issuer: "batch", expiresAt: time), ["--long-lived-issuer", "batch"], 0),
            (.longLived(issuer: "batch", expiresAt: time), ["--issuer", "batch"], 0),
            (.failover(expiresAt: time), [], 0), (.failover(expiresAt: time), ["--failover", "reject"], 1),
        ]
        for entry in table {
            let minted = try ApproovTokenBlueprint(keys: TestApproov.keys(), claims: entry.claims).mint()
            try scratch.writeApproov("token.txt", minted.token)
            let run = try scratch.run(Self.token + Self.secret + entry.options)
            #expect(run.status == entry.status, "\(entry.options): \(run.errors)\(run.output)")
        }
        let minted = try TestApproov.token { $0[.audience] = .text("shop") }
        try scratch.writeApproov("token.txt", minted.token)
        #expect(try scratch.run(Self.token + Self.secret + ["--audience", "shop"]).status == 0)
        #expect(try scratch.run(Self.token + Self.secret + ["--audience", "bank"]).status == 1)
    }

    @Test("With a policy, bound values are matched by name in the policy's order; others are refused")
    func policy() throws {
        let scratch = try Scratch()
        let minted = try TestApproov.token { $0.bind(to: [TestApproov.bound, "my-device-id"]) }
        try scratch.writeApproov("token.txt", minted.token)
        try scratch.write(
            "policy.yaml",
            Data(
                """
                version: 1
                keys: [{ name: now, use: approov, secret: "file:secret.b64" }]
                apps: [{ name: api, approov: { keys: [now], binding: [Authorization, X-Device-ID], failover: reject } }]
                """.utf8))
        let values = [
            "--binding-header", "x-device-id=my-device-id", "--binding-header", "authorization=\(TestApproov.bound)",
        ]
        let run = try scratch.run(Self.token + ["--policy", "policy.yaml"] + values)
        #expect(run.status == 0, "\(run.errors)\(run.output)")
        let missing = try scratch.run(Self.token + ["--policy", "policy.yaml"])
        #expect(missing.status == 1 && missing.output.contains("approov.token.binding:"), "\(missing.output)")
        let other = try scratch.run(Self.token + ["--policy", "policy.yaml", "--binding-header", "Cookie=a"])
        #expect(other.status == 64 && other.errors.contains("the policy binds tokens to Authorization, X-Device-ID"))
        let both = try scratch.run(Self.token + ["--policy", "policy.yaml"] + Self.secret)
        #expect(both.status == 64 && both.errors.contains("--secret and --policy exclude each other"), "\(both.errors)")
    }

    @Test("A secret as an argument is refused; an invalid one is reported with its option and not shown")
    func secrets() throws {
        let scratch = try Scratch()
        try scratch.writeApproov("token.txt", TestApproov.token().token)
        let keys = try TestApproov.keys()
        let text = Data(keys.secret).base64EncodedString()
        try scratch.writeSecret("open", keys.secretFile, mode: 0o644)
        try scratch.writeSecret("cut", String(text.dropLast(5)))
        let table: [(options: [String], status: Int32, words: String)] = [
            (["--secret", text], 64, "--secret: expected file:PATH or env:NAME"),
            (["--secret", "file:open"], 2, "chmod 600 open"), (["--secret", "file:cut"], 2, "--secret: cut: expected"),
            (["--secret", "file:secret.b64", "--secret", "file:secret.b64"], 64, "--secret names a source twice"),
            (["--account-key", "acc=\(text)"], 64, "approov.token has no option --account-key"),
            ([], 64, "--secret, --token-public-key or --key-set is required"),
        ]
        for entry in table {
            let run = try scratch.run(Self.token + entry.options)
            #expect(run.status == entry.status && run.errors.contains(entry.words), "\(entry.words): \(run.errors)")
            for form in TestKeys.forms(Data(keys.secret)) { #expect(!run.errors.contains(form), "\(entry.words)") }
        }
    }

    @Test("A captured request is verified with the installation's or the account's key")
    func message() throws {
        let scratch = try Scratch()
        // Requests are fresh for seconds, and a busy machine may delay the program.
        let command =
            ["verify", "--kind", "approov.message", "request.http", "--at", RFC3339.format(TestEvidence.time)]
            + Self.secret
        let installation = command + ["--signer", "installation"]
        let target = ["--target-uri", TestApproov.targetURI]
        for lineEnd in ["\r\n", "\n"] {
            try scratch.writeApproov("request.http", TestApproov.request(lineEnd: lineEnd))
            let run = try scratch.run(installation + target)
            #expect(run.status == 0, "\(run.errors)\(run.output)")
        }
        let lacking = try scratch.run(installation)
        #expect(lacking.status == 64 && lacking.errors.contains("--target-uri 'https://api.example.com/v1/items?a=1'"))
        let other = try scratch.run(installation + ["--target-uri", "https://api.example.org/"])
        #expect(other.status == 1 && other.output.contains("approov.message.signature:"), "\(other.output)")
        let covering = try scratch.run(
            installation + target + ["--component", "approov-token", "--component", "x-user"])
        #expect(covering.status == 1 && covering.output.contains("approov.message.components:"), "\(covering.output)")
        let swapped = try scratch.run(
            command + target + ["--signer", "account", "--account-key", "id=file:account.b64"])
        #expect(swapped.status == 1 && swapped.output.contains("approov.message.decode:"), "\(swapped.output)")

        try scratch.writeApproov("request.http", TestApproov.request(account: true, target: TestApproov.targetURI))
        let id = try TestApproov.keys().messageKeyID
        let account = command + ["--signer", "account", "--account-key", "\(id)=file:account.b64"]
        let signed = try scratch.run(account)
        #expect(signed.status == 0, "\(signed.errors)\(signed.output)")
        let set = try scratch.run(
            command + ["--set", "messageSigning.signer=account", "--account-key", "\(id)=file:account.b64"])
        #expect(set.status == 0, "\(set.errors)\(set.output)")
        let whole = try scratch.run(command + ["--set", "messageSigning={signer: installation}"])
        #expect(whole.status == 1 && whole.output.contains("approov.message."), "\(whole.errors)\(whole.output)")
        let ledger = ["--ledger", "sqlite:ledger.sqlite", "--app", "api"]
        #expect(try scratch.run(account + ledger + ["--create-ledger"]).status == 0)
        let replay = try scratch.run(account + ledger)
        #expect(replay.status == 1 && replay.output.contains("approov.message.replay:"), "\(replay.output)")
        let keyless = try scratch.run(command + ["--signer", "account"])
        #expect(
            keyless.status == 64 && keyless.errors.contains("--account-key is for --signer account, which needs one"))
        let inline = try scratch.run(command + ["--signer", "account", "--account-key", "id=5ecret"])
        #expect(inline.status == 64 && !inline.errors.contains("5ecret"), "\(inline.errors)")
    }

    @Test("A measurement token is opened with the key of the hardware, and a nonce of the ledger is used once")
    func offline() throws {
        let scratch = try Scratch()
        let measurements = ApproovTestMeasurements(seed: "assay command line", label: "app")
        let hardware = TestKey(.p256, seed: "assay command line", label: "hardware")
        try scratch.writeSecret("hardware.pem", hardware.pem)
        let sealed = ApproovMeasurementTokenBlueprint(
            measurements, for: hardware.publicPoint, issuedAt: TestEvidence.time)
        try scratch.write("sealed.txt", Data("\(try sealed.mint())\n".utf8))
        func command(_ nonce: [UInt8]) -> [String] {
            let proof = ApproovProofBlueprint(integrityOf: measurements, nonce: nonce)
            return [
                "verify", "--kind", "approov.proof", "--nonce", Data(nonce).base64EncodedString(),
                "--proof", Data(proof.proof).base64EncodedString(), "--sealed", "sealed.txt",
            ]
        }
        let key = ["--hardware-key", "file:hardware.pem"]
        let run = try scratch.run(command(TestApproov.nonce) + key)
        #expect(run.status == 0, "\(run.errors)\(run.output)")
        for (more, words) in [([], "--hardware-key is for --sealed"), (key + ["--measurements"], "exclude each other")]
        {
            let wrong = try scratch.run(command(TestApproov.nonce) + more)
            #expect(wrong.status == 64 && wrong.errors.contains(words), "\(wrong.errors)")
        }
        try scratch.writeSecret("hardware.pem", TestKey(.p256).pem)
        let other = try scratch.run(command(TestApproov.nonce) + key)
        #expect(other.status == 1 && other.output.contains("approov.proof.sealed:"), "\(other.output)")
        try scratch.writeSecret("hardware.pem", hardware.pem)

        let ledger = ["--app", "api", "--ledger", "sqlite:ledger.sqlite"]
        let issued = try scratch.run(["challenge", "issue", "--for", "approov.proof"] + ledger)
        let nonce = try Base64.decode(issued.output.trimmingCharacters(in: .whitespacesAndNewlines), .url)
        #expect(nonce.count == 16, "\(issued.errors)")
        let once = command(nonce) + key + ledger + ["--set", "proof.nonce=ledger"]
        let first = try scratch.run(once)
        #expect(first.status == 0, "\(first.errors)\(first.output)")
        let again = try scratch.run(once)
        #expect(again.status == 1 && again.output.contains("approov.proof.challenge:"), "\(again.output)")
        try scratch.write("policy.yaml", Data("version: 1\napps: [{ name: api, approov: {} }]\n".utf8))
        let noted = try scratch.run(
            ["challenge", "issue", "--for", "approov.proof", "--policy", "policy.yaml"] + ledger)
        #expect(
            noted.status == 0 && noted.errors.contains("app api leaves challenges for approov.proof to the caller"),
            "\(noted.errors)")
        let bytes = Data(measurements.proofKey ?? [])
        for form in TestKeys.forms(bytes) { #expect(!"\(run.output)\(run.errors)\(other.output)".contains(form)) }
    }

    @Test("A signed text is verified byte for byte, with the token from a file")
    func text() throws {
        let scratch = try Scratch()
        let keys = try TestApproov.keys()
        let token = try TestApproov.token { $0.allowMessages(with: keys) }.token
        let text = ApproovTextBlueprint(token: token, text: "\norder 7 \(token)\n", key: keys.messageKey)
        try scratch.writeApproov("token.txt", "\(token)\n")
        try scratch.write("text.txt", Data(text.text.utf8))
        let command = ["verify", "--kind", "approov.text", "--signature", text.signature] + Self.secret
        let key = ["--account-key", "\(keys.messageKeyID)=file:account.b64"]
        let good = command + key + ["--token", "file:token.txt"]
        let run = try scratch.run(good + ["text.txt"])
        #expect(run.status == 0, "\(run.errors)\(run.output)")
        let given = try scratch.run(command + key + ["--token", token, "text.txt"])
        #expect(given.status == 0, "\(given.errors)\(given.output)")
        let ledger = ["--ledger", "sqlite:ledger.sqlite", "--app", "api", "text.txt"]
        #expect(try scratch.run(good + ledger + ["--create-ledger"]).status == 0)
        let replay = try scratch.run(good + ledger)
        #expect(replay.status == 1 && replay.output.contains("approov.text.replay:"), "\(replay.output)")
        try scratch.write("text.txt", Data(text.text.dropLast().utf8))
        let cut = try scratch.run(good + ["text.txt"])
        #expect(cut.status == 1 && cut.output.contains("approov.text.signature:"), "\(cut.output)")
        try scratch.write("text.txt", Data([0xFF]))
        let binary = try scratch.run(good + ["text.txt"])
        #expect(binary.status == 2 && binary.errors.contains("the text is no UTF-8"), "\(binary.errors)")
        for (arguments, words) in [
            (command + ["--token", token], "--account-key is required without --policy"),
            (command + key, "--token is required"),
            (good.filter { $0 != text.signature && $0 != "--signature" }, "--signature is required"),
        ] {
            let lacking = try scratch.run(arguments + ["text.txt"])
            #expect(lacking.status == 64 && lacking.errors.contains(words), "\(lacking.errors)")
        }
    }

    @Test("An ambiguous request file is reported with line and byte, and not judged")
    func requests() throws {
        let scratch = try Scratch()
        let request = try TestApproov.request()
        let command = [
            "verify", "--kind", "approov.message", "--signer", "installation", "--target-uri", TestApproov.targetURI,
            "request.http",
        ]
        let table: [(text: String, words: String)] = [
            (request + "\n", "1 more than the 7 bytes of the body"), (String(request.dropLast()), "the body is cut"),
            (request.replacing("Content-Length: 7", with: "Transfer-Encoding: chunked"), "in chunks"),
            (request.replacing("Host: ", with: "Host: a\r\nHost: "), "line 3, Host, byte"),
        ]
        for entry in table {
            try scratch.writeApproov("request.http", entry.text)
            let run = try scratch.run(command + Self.secret)
            #expect(run.status == 2 && run.errors.contains(entry.words), "\(entry.words): \(run.errors)")
        }
    }

    @Test("An option with an invalid value is reported, and nothing is judged")
    func unusableValues() throws {
        let scratch = try Scratch()
        try scratch.writeApproov("request.http", try TestApproov.request())
        try scratch.writeSecret("m.json", "{}")
        let message = ["verify", "--kind", "approov.message", "--signer", "installation", "request.http"] + Self.secret
        for uri in ["/v1/items?a=1", "api.example.com/v1", "https:///v1", "://api.example.com/", "/a?b=https://c/"] {
            let run = try scratch.run(message + ["--target-uri", uri])
            #expect(run.status == 64 && run.errors.contains("--target-uri: expected"), "\(uri): \(run.errors)")
        }
        let proof = try scratch.run([
            "verify", "--kind", "approov.proof", "--nonce", "xyz!", "--proof", "AAAA", "m.json",
        ])
        #expect(proof.status == 64 && proof.errors.contains("--nonce: expected base64"), "\(proof.errors)")
        try scratch.writeApproov("token.txt", try TestApproov.token().token)
        for (option, file, words) in [
            ("--key-set", "es.pem", "found a PEM block"), ("--token-public-key", "m.json", "found JSON"),
        ] {
            let run = try scratch.run(Self.token + [option, "file:\(file)"])
            #expect(run.status == 2 && run.errors.contains(words), "\(run.errors)")
        }
    }

    @Test("A proof is compared with given measurements, or with those of a token that is verified first")
    func proof() throws {
        let scratch = try Scratch()
        let measurements = ApproovTestMeasurements(seed: "assay command line", label: "app")
        let proof = ApproovProofBlueprint(integrityOf: measurements, nonce: TestApproov.nonce)
        func base64(_ bytes: [UInt8]?) -> String { Data(bytes ?? []).base64EncodedString() }
        let command = ["verify", "--kind", "approov.proof", "--nonce", base64(proof.nonce)]
        let proven = ["--proof", base64(proof.proof)]
        try scratch.writeSecret(
            "m.json",
            #"{"mpk": "\#(base64(measurements.proofKey))", "imh": "\#(base64(measurements.integrity))"}"#)
        let unvouched = try scratch.run(command + proven + ["m.json"])
        #expect(unvouched.status == 64 && unvouched.errors.contains("give --measurements"), "\(unvouched.errors)")
        let given = proven + ["--measurements"]
        let run = try scratch.run(command + given + ["m.json"])
        #expect(run.status == 0, "\(run.errors)\(run.output)")
        let device = try scratch.run(command + given + ["--measurement", "device", "m.json"])
        #expect(device.status == 1 && device.output.contains("approov.proof.measurement:"), "\(device.output)")
        let wrong = try scratch.run(
            command + ["--proof", "hex:\(String(repeating: "ab", count: 32))", "--measurements", "m.json"])
        #expect(wrong.status == 1, "\(wrong.output)")
        try scratch.writeApproov("token.txt", try TestApproov.token(.encrypted) { $0.measure(measurements) }.token)
        let token = try scratch.run(command + proven + Self.secret + ["--token-format", "jwe", "token.txt"])
        #expect(token.status == 0, "\(token.errors)\(token.output)")
        let keyless = try scratch.run(command + proven + ["token.txt"])
        #expect(keyless.status == 2, "\(keyless.errors)\(keyless.output)")
        let lacking = try scratch.run(command + ["--measurements", "m.json"])
        #expect(lacking.status == 64 && lacking.errors.contains("--nonce and --proof are required"))
        try scratch.write("m.json", Data(#"{"mpk": "x"}"#.utf8))
        let broken = try scratch.run(command + given + ["m.json"])
        #expect(broken.status == 2 && broken.errors.contains("evidence.measurements.mpk"), "\(broken.errors)")
        for secret in [measurements.proofKey, measurements.integrity] {
            for form in TestKeys.forms(Data(secret ?? [])) {
                #expect(!"\(run.output)\(run.errors)\(token.output)\(device.output)".contains(form))
            }
        }
    }
}
