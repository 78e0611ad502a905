import AssayTesting
import Foundation
import Testing

@Suite("assay inspect, inputs")
struct InspectInputTests {
    private func scratch() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write("attestation.bin", TestEvidence.attestation().attestation)
        try scratch.write("assertion.bin", TestEvidence.assertion(counter: 5).assertion)
        return scratch
    }

    @Test("Each of several files has a heading with its name; --json prints a line for each")
    func several() throws {
        let scratch = try scratch()
        let run = try scratch.assay("inspect", "attestation.bin", "assertion.bin")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.hasPrefix("==> attestation.bin <==\n"))
        #expect(run.output.contains("\n\n==> assertion.bin <==\nApp Attest assertion, "))
        let names = try scratch.assay("inspect", "--json", "attestation.bin", "assertion.bin").json()
            .map { $0["name"] as? String }
        #expect(names == ["attestation.bin", "assertion.bin"])
        #expect(!(try scratch.assay("inspect", "assertion.bin")).output.contains("==>"))
    }

    @Test("The status is the worst of all files, and an unreadable file does not hide the others")
    func worst() throws {
        let scratch = try scratch()
        let run = try scratch.assay("inspect", "missing", "assertion.bin")
        #expect(run.status == 2)
        #expect(run.errors.contains("missing cannot be read") && run.output.contains("App Attest assertion"))
        try scratch.policy(appID: "1234567890.com.example.other")
        let rejected = try scratch.assay("inspect", "--policy", "policy.yaml", "attestation.bin", "attestation.bin")
        #expect(rejected.status == 1, "\(rejected.errors)")
        let both = try scratch.assay("inspect", "--policy", "policy.yaml", "attestation.bin", "assertion.bin")
        #expect(both.status == 2 && both.output.contains("REJECTED"), "\(both.errors)")
        #expect(both.errors.contains("assertion.bin: nothing could be verified"))
        let twice = try scratch.assay("inspect", "-", "-")
        #expect(twice.status == 64 && twice.errors.contains("standard input can be read once"))
    }

    @Test("gzip is decompressed, also with several members, as are base64 and a record in it")
    func gzip() throws {
        let scratch = try scratch()
        let text = Data(try TestEvidence.attestation().attestation).base64EncodedString()
        try scratch.write("attestation.b64", Data(text.utf8))
        let made = try scratch.shell(
            """
            gzip -k attestation.bin attestation.b64
            (head -c 100 attestation.bin | gzip; tail -c +101 attestation.bin | gzip) >members.gz
            """)
        #expect(made.status == 0, "\(made.errors)")
        let count = try TestEvidence.attestation().attestation.count
        for file in ["attestation.bin.gz", "members.gz"] {
            let run = try scratch.assay("inspect", file)
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.output.contains("App Attest attestation object, \(count) bytes, from gzip"), "\(run.output)")
        }
        let encoded = try scratch.assay("inspect", "--json", "attestation.b64.gz")
        let layer = try #require(try encoded.json().first)
        #expect(layer["encoding"] as? String == "gzip")
        #expect((layer["nested"] as? [[String: Any]])?.first?["format"] as? String == "App Attest attestation object")
        try scratch.policy()
        let judged = try scratch.assay("inspect", "--policy", "policy.yaml", "attestation.bin.gz")
        #expect(judged.status == 0, "\(judged.errors)\(judged.output)")
    }

    @Test("Truncated gzip is inspected up to its end; bytes that only start like gzip are unknown")
    func damagedGzip() throws {
        let scratch = try scratch()
        let made = try scratch.shell("gzip -1 <attestation.bin | head -c 2000 >cut.gz; printf '\\037\\213xyz' >other")
        #expect(made.status == 0)
        let cut = try scratch.assay("inspect", "cut.gz")
        #expect(cut.status == 0)
        #expect(cut.errors.contains("cut.gz: byte 2000: the compressed data end in the middle; the "), "\(cut.errors)")
        #expect(cut.output.contains("App Attest attestation object"))
        let other = try scratch.assay("inspect", "other")
        #expect(other.status == 0 && other.output.contains("unknown bytes, 5 bytes"), "\(other.output)")
    }

    @Test("A small gzip file that decompresses to a gigabyte stops at the limit of all inputs")
    func bomb() throws {
        let scratch = try Scratch()
        let run = try scratch.shell(
            "head -c 1000000000 /dev/zero | gzip >bomb.gz; ulimit -v 1000000; \"$ASSAY\" inspect bomb.gz")
        #expect(run.status == 2, "\(run.errors)")
        #expect(run.errors.contains("bomb.gz decompresses to more than the 33554432 bytes that are allowed"))
        #expect(run.output.isEmpty)
    }

    @Test("A dump is decoded, and a private key in it is not shown")
    func dumps() throws {
        let scratch = try scratch()
        let pem = TestKey(.p256, seed: "inspect dump", label: "private").pem
        try scratch.write("key.pem", Data(pem.utf8))
        let made = try scratch.shell(
            "od -tx1 attestation.bin >a.od; od -An -tx1 -v attestation.bin >a.hex; od -tx1z key.pem >k.od")
        #expect(made.status == 0, "\(made.errors)")
        for (file, name) in [("a.od", "dumped bytes"), ("a.hex", "decoded text")] {
            let run = try scratch.assay("inspect", file)
            #expect(run.status == 0)
            #expect(run.output.contains("\(name): App Attest attestation object"), "\(run.output.prefix(400))")
        }
        let secret = try #require(pem.split(separator: "\n").dropFirst().first).suffix(8)
        let digits = secret.utf8.map { String($0, radix: 16) }.joined(separator: " ")
        for option in ["--full", "--hex", "--json"] {
            let run = try scratch.assay("inspect", option, "k.od")
            #expect(run.status == 0 && run.output.contains("PEM text"))
            #expect(!run.output.contains(secret) && !run.output.contains(digits), "\(option): \(run.output)")
        }
    }

    /// Creates every form of key that OpenSSL writes.
    private static let keys = """
        set -e
        openssl ecparam -name prime256v1 -genkey -out ec.pem
        openssl pkcs8 -topk8 -nocrypt -in ec.pem -out ec8.pem
        openssl pkey -in ec8.pem -pubout -out ec.pub
        openssl ecparam -name secp521r1 -genkey -noout | openssl ec -pubout -out p521.pub
        openssl genpkey -algorithm ed25519 -out ed8.pem
        openssl pkey -in ed8.pem -pubout -out ed.pub
        openssl genrsa -out rsa8.pem 2048
        openssl rsa -in rsa8.pem -traditional -out rsa1.pem
        openssl rsa -in rsa8.pem -pubout -out rsa.pub
        openssl rsa -in rsa8.pem -RSAPublicKey_out -out rsa1.pub
        openssl pkcs8 -topk8 -in ec.pem -passout pass:secret -out encrypted.pem
        openssl req -x509 -new -key ec8.pem -subj /CN=test -days 1 -out certificate.pem
        cat ec8.pem certificate.pem >both.pem
        """

    @Test(
        "Valid PEM keys and certificates have no violation; private keys are named but not shown",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/openssl"), "openssl is not installed"))
    func pem() throws {
        let scratch = try Scratch()
        let made = try scratch.shell(Self.keys)
        #expect(made.status == 0, "\(made.errors)")
        let table: [(file: String, words: String)] = [
            ("ec.pem", "an EC private key (SEC 1), not shown"),
            ("ec8.pem", "a private key (PKCS #8, id-ecPublicKey), not shown"),
            ("ed8.pem", "a private key (PKCS #8"), ("rsa1.pem", "an RSA private key (PKCS #1), not shown"),
            ("rsa8.pem", "a private key (PKCS #8, rsaEncryption), not shown"),
            ("encrypted.pem", "an encrypted private key (PKCS #8), not shown"),
            ("both.pem", "a private key (PKCS #8, id-ecPublicKey), not shown"), ("ec.pub", "public key"),
            ("p521.pub", "public key"), ("ed.pub", "public key"), ("rsa.pub", "rsaEncryption, 2048 bits"),
            ("rsa1.pub", "RSA PUBLIC KEY"), ("certificate.pem", "X.509 certificate"),
        ]
        for entry in table {
            let text = try scratch.assay("inspect", "--full", entry.file)
            #expect(text.status == 0)
            #expect(text.output.contains(entry.words), "\(entry.file): \(text.output)")
            #expect(!text.output.contains("!"), "\(entry.file): \(text.output)")
            guard entry.file.hasSuffix(".pem"), entry.file != "certificate.pem" else { continue }
            let lines = try String(contentsOfFile: scratch.path(entry.file), encoding: .utf8).split(separator: "\n")
            let begin = try #require(lines.lastIndex { $0.hasPrefix("-----BEGIN") && $0.hasSuffix("PRIVATE KEY-----") })
            let secret = lines[begin + 1].suffix(24)
            for option in ["--full", "--hex", "--json"] {
                let run = try scratch.assay("inspect", option, entry.file)
                #expect(!run.output.contains(secret), "\(option) \(entry.file)")
            }
        }
    }
}
