import AssayTestSupport
import Foundation
import Testing

/// What `assay verify` says of evidence as it comes in practice.
@Suite("Shared cases, assay verify", .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct VerifyCaseTests {
    @Test("RSA signatures without NULL parameters are accepted like those with them (RFC 4055 section 5)")
    func parameters() throws {
        let folder = SharedCase(folder: "00-rsa-signature-algorithm-without-null")
        for file in ["without-null.pem", "with-null.pem"] { #expect(try folder.chain(file).status == 0) }
    }

    @Test("A serial number that would revoke nothing makes a status list unreadable")
    func serials() throws {
        let run = try SharedCase(folder: "01-status-list-serial-forms").run([
            "verify", "--kind", "android-key.attestation", "--package", "com.example.shop", "--certificate-digest",
            "eb48aedc4da75a336d2008cee1c80f06342be45e055b3e96a07e67289d8ad189", "--set", "testRoots=file:@roots.pem",
            "--at", "2026-11-25T22:01:00Z", "--challenge", "chal-0001-abcdefgh", "--status-list",
            "file:@status-0x.json", "@chain.pem",
        ])
        #expect(run.status == 2 && run.errors.contains("0x4ad44cf63f1a42f9d7888aa8ac91ebf8"))
    }

    @Test("The registration of a passkey is refused, and named by its format")
    func passkeys() throws {
        let folder = SharedCase(folder: "02-webauthn-object-taken-for-app-attest")
        for name in ["android-key", "packed"] {
            let run = try folder.run([
                "verify", "--kind", "app-attest.attestation", "--app-id", "1234567890.com.example.shop", "--key-id",
                "1HLTPLs0a7HUkw1fzmGpn6B0OWeX6JIug5WkLsoBwIA=", "--challenge", "x", "@\(name).b64",
            ])
            #expect(run.status == 1)
            #expect(run.text.contains("its fmt is \(name): the registration of a passkey"), "\(run.text)")
        }
    }

    @Test("A wrapped attestation is refused with a hint that names the wrapping")
    func wrappings() throws {
        let folder = SharedCase(folder: "03-verify-says-nothing-of-a-wrapping")
        let table: [(file: String, wrapping: String)] = [
            ("body.json", "it is a JSON document, in which /attestation is base64 of an App Attest attestation object"),
            ("bom", "it is base64 (in text behind a byte order mark) of an App Attest attestation object"),
            ("data-url", "it is base64 (in a data URL of type"),
            ("double-base64", "it is base64 of base64 of an App Attest"),
            ("hex", "it is hexadecimal of an App Attest attestation object: give the bytes, or base64 of them"),
            ("json-string", "it is base64 (in quotes) of an App Attest"),
            ("percent", "it is base64 (in percent-encoding) of"),
            ("postgres-bytea", "it is hexadecimal (in PostgreSQL's text of bytea) of"),
        ]
        for entry in table {
            let run = try folder.attestation(entry.file)
            #expect(run.status == 1, "\(entry.file)")
            #expect(run.text.contains(entry.wrapping), "\(entry.file): \(run.text)")
        }
    }

    @Test("A chain in base64 is read in one piece and in a list, and the form is named")
    func chains() throws {
        let folder = SharedCase(folder: "06-chains-in-base64")
        for (file, form) in [
            ("array.json", "a JSON array of base64"), ("comma.txt", "base64, separated by commas"),
            ("concatenated.b64", "base64 of"), ("lines.txt", "base64"),
        ] {
            let run = try folder.chain(file)
            #expect(run.status == 0, "\(file): \(run.text)")
            #expect(run.errors.contains("read as \(form)"), "\(file): \(run.errors)")
        }
    }

    @Test("A nonce that differs is explained by what the app hashed")
    func nonces() throws {
        let folder = SharedCase(folder: "07-nonce-mismatch-without-diagnosis")
        let decoded = try folder.attestation("decoded.b64", challenge: "aGVsbG8tY2hhbGxlbmdlLTAwMDE")
        #expect(decoded.status == 1)
        #expect(decoded.text.contains("the app hashed the decoded bytes of this challenge (base64"), "\(decoded.text)")
        let digest = try folder.attestation("hex-of-hash.b64")
        #expect(digest.status == 1)
        #expect(
            digest.text.contains("the hexadecimal text of the SHA-256 of this challenge"), "\(digest.text)")
        // Another challenge is no mistake of encoding.
        let other = try folder.attestation("decoded.b64", challenge: "another")
        #expect(other.status == 1 && other.text.contains("was made for another"), "\(other.text)")
    }

    @Test("A signature that does not hold is explained by what was signed, and how")
    func signatures() throws {
        let folder = SharedCase(folder: "08-assertion-signature-without-diagnosis")
        for (file, cause) in [
            ("raw64.b64", "64 bytes and is no DER: r and s side by side"),
            ("pre.b64", "it verifies with the nonce as the digest"),
            ("nl.b64", "the app hashed this client data with a line end behind it"),
            ("cdraw.b64", "the app passed this client data itself, not its SHA-256"),
        ] {
            let run = try folder.assertion(file, key: "pub.spki.b64")
            #expect(run.status == 1)
            #expect(run.text.contains(cause), "\(file): \(run.text)")
        }
    }

    @Test(
        "A public key is read as PEM, JSON Web Key, X9.63 point and SubjectPublicKeyInfo; another form is a bad argument"
    )
    func keys() throws {
        let folder = SharedCase(folder: "09-public-key-as-pem-or-jwk")
        for key in ["pub.pem", "pub.jwk", "pub.spki.b64"] {
            let run = try folder.assertion("ok.b64", key: key)
            #expect(run.status == 0, "\(key): \(run.text)")
        }
        func request(_ key: String) throws -> Run {
            try folder.run([
                "verify", "--kind", "android-key.request", "--package", "com.example.shop", "--public-key",
                "file:@\(key)", "--target-uri", "https://api.example.com/v1/items", "--at", "2026-11-25T22:44:10Z",
                "@areq.http",
            ])
        }
        for key in ["k.pem", "k.jwk", "k.x963", "k.der"] {
            let run = try request(key)
            #expect(run.status == 0, "\(key): \(run.text)")
        }
        let wrong = try request("body")
        #expect(wrong.status == 64 && wrong.errors.contains("--public-key"), "\(wrong.text)")
    }

    @Test("The App ID that the certificate names is stated beside the allowed ones")
    func appID() throws {
        let run = try SharedCase(folder: "10-app-id-not-named")
            .attestation("attestation.b64", appID: "1234567899.com.example.shop")
        #expect(run.status == 1)
        #expect(
            run.text.contains(
                "the App ID is none of 1234567899.com.example.shop; the certificate names 1234567890.com.example.shop"))
    }

    @Test("Members that are null are absent")
    func null() throws {
        let folder = SharedCase(folder: "16-null-members")
        let digest = "6a6a1474b5cbbb2b1aa57e0bc36a6a1474b5cbbb2b1aa57e0bc36a6a1474b5cb"
        let answer = try folder.run([
            "verify", "--kind", "play-integrity.standard", "--package-name", "com.example.shop", "--request-hash",
            "aGVsbG8gd29scmQgdGhlcmU", "--certificate-digest", digest, "--decoded", "--at", "2026-11-25T22:00:30Z",
            "@answer.json",
        ])
        #expect(answer.status == 0, "\(answer.text)")
        let record = try folder.run([
            "verify", "--policy", "@policy.yaml", "--at", "2026-11-25T22:01:00Z", "@record.json",
        ])
        #expect(record.status == 0, "\(record.text)")
    }

    @Test("The authority of emulators, a reversed chain and the certified challenge are named")
    func details() throws {
        let emulator = try SharedCase(folder: "17-emulator-chain").chain("chain.pem", roots: nil)
        #expect(emulator.status == 1)
        #expect(emulator.text.contains("an emulator, or a device that is not registered with Google"))
        let reversed = try SharedCase(folder: "18-reversed-chain").chain("chain.pem")
        #expect(reversed.status == 1)
        #expect(reversed.text.contains("the certificates are in reverse order: the leaf comes first"))
        let challenge = try SharedCase(folder: "19-android-challenge-not-shown")
            .chain("chain.pem", challenge: "Y2hhbC0wMDAxLWFiY2RlZmdo")
        #expect(challenge.status == 1)
        #expect(challenge.text.contains("the certified challenge \"chal-0001-abcdefgh\", of 18 bytes"))
        #expect(challenge.text.contains("the app passed the decoded bytes of this challenge (base64"))
    }

    @Test("A line end behind base64, and text where base64 is wanted, are named")
    func text() throws {
        let folder = SharedCase(folder: "21-line-end-behind-base64")
        func run(_ file: String) throws -> Run {
            try folder.run(["verify", "--policy", "@policy.yaml", "--at", "2026-11-25T22:01:00Z", "@\(file)"])
        }
        let line = try run("record.json")
        #expect(line.status == 2 && line.text.contains("a line feed is not in the alphabet"), "\(line.text)")
        let challenge = try run("record-challenge-text.json")
        #expect(challenge.status == 2)
        #expect(
            challenge.text.contains("such as the text of a challenge, give base64 of them"), "\(challenge.text)")
    }

    @Test("Spaces in place of + are named")
    func spaces() throws {
        let run = try SharedCase(folder: "22-plus-became-space").run([
            "verify", "--kind", "app-attest.attestation", "--app-id", "1234567890.com.example.shop", "--key-id",
            "1HLTPLs0a7HUkw1fzmGpn6B0OWeX6JIug5WkLsoBwIA=", "--challenge", "x", "@attestation.txt",
        ])
        #expect(run.status == 1 && run.text.contains("spaces stand where + belongs"), "\(run.text)")
    }
}
