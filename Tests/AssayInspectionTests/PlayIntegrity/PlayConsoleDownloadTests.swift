import AssayCore
import AssayInspection
import AssayPrimitives
import AssayTestSupport
import Foundation
import Testing

@Suite("The Play Console's download of response keys")
struct PlayConsoleDownloadTests {
    private static let decryption = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    private static let verification = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE"

    private func read(_ text: String) throws -> PlayConsoleDownload {
        try PlayConsoleDownload(text: SecretBytes(Array(text.utf8)))
    }

    /// The layout is known from one source only: harmless variations are accepted.
    @Test(
        "White space, quotes, line ends and the order do not matter",
        arguments: [
            "DECRYPTION_KEY=D\nVERIFICATION_KEY=V\n", "DECRYPTION_KEY=D\nVERIFICATION_KEY=V",
            "DECRYPTION_KEY=D\r\nVERIFICATION_KEY=V\r\n", "\n\nVERIFICATION_KEY = V \n\n DECRYPTION_KEY\t=\tD\n",
            "DECRYPTION_KEY=\"D\"\nVERIFICATION_KEY='V'\n", "\u{FEFF}DECRYPTION_KEY=D\nVERIFICATION_KEY=V\n",
            "\"DECRYPTION_KEY=D\"\n\"VERIFICATION_KEY=V\"\n",
        ])
    func layouts(text: String) throws {
        let filled = text.replacing("=V", with: "=\(Self.verification)").replacing(
            "= V", with: "= \(Self.verification)"
        )
        .replacing("'V'", with: "'\(Self.verification)'").replacing("\"D\"", with: "\"\(Self.decryption)\"")
        .replacing("=D", with: "=\(Self.decryption)").replacing("\tD", with: "\t\(Self.decryption)")
        let download = try read(filled)
        #expect(download.parts["decryptionKey"]?.testText == Self.decryption)
        #expect(download.parts["verificationKey"]?.testText == Self.verification)
        #expect(download.parts.count == 2 && download.notes.isEmpty)
    }

    @Test("Other lines are skipped and reported")
    func otherLines() throws {
        let download = try read("DECRYPTION_KEY=a\nKEY_ID=secret\nVERIFICATION_KEY=b\n")
        #expect(download.parts.count == 2)
        #expect(download.notes == ["line 2, KEY_ID, is neither of the two keys and is passed over"])
    }

    @Test("A text without the two keys is refused, and not quoted")
    func refused() throws {
        let table: [(String, String)] = [
            ("", "missing-part"), ("DECRYPTION_KEY=hunter2", "missing-part"),
            ("VERIFICATION_KEY=hunter2", "missing-part"),
            ("DECRYPTION_KEY=hunter2\nDECRYPTION_KEY=hunter2\nVERIFICATION_KEY=x", "duplicate"),
            ("hunter2", "strange-line"), ("DECRYPTION_KEY: hunter2", "strange-line"), ("=hunter2", "strange-line"),
            ("DECRYPTION_KEY=x\nVERIFICATION_KEY=y\nhunter2 = hunter2", "strange-line"),
            ("HUNTER2HUNTER2HUNTER2HUNTER2HUNTER2HUNTER2=x", "strange-line"),
        ]
        for (text, code) in table {
            let error = #expect(throws: KeyError.self) { try read(text) }
            #expect(error?.code == code, "\(text)")
            #expect(error?.description.lowercased().contains("hunter2") == false)
        }
    }

    /// Encrypts a text with OpenSSL for a private key made in this test.
    private func sealed(_ text: String, in folder: KeyFolder, key: String = "a.pem") throws -> [UInt8] {
        let script = """
            cd '\(folder.url.path)'
            test -e \(key) || openssl genrsa -out \(key) 2048 2>/dev/null
            printf %s "$TEXT" | openssl pkeyutl -encrypt -inkey \(key) -pkeyopt rsa_padding_mode:oaep -out out.enc
            """
        let run = try ProgramRun(
            "/bin/sh", ["-ec", script], environment: ["TEXT": text, "PATH": "/usr/bin:/bin"])
        try #require(run.status == 0, "\(run.text)")
        return Array(try Data(contentsOf: folder.url.appendingPathComponent("out.enc")))
    }

    private func privateKey(_ name: String, in folder: KeyFolder) throws -> RSAPrivateKey {
        try RSAPrivateKey(pem: SecretBytes(Array(Data(contentsOf: folder.url.appendingPathComponent(name)))))
    }

    @Test("Data that OpenSSL encrypts opens only with its key, raw and in base64")
    func opening() throws {
        let folder = try KeyFolder()
        let text = "DECRYPTION_KEY=\(Self.decryption)\nVERIFICATION_KEY=\(Self.verification)\n"
        let encrypted = try sealed(text, in: folder)
        let key = try privateKey("a.pem", in: folder)
        let base64 = Data(encrypted).base64EncodedData(options: [.lineLength64Characters])
        for bytes in [encrypted, Array(base64)] {
            let download = try PlayConsoleDownload(encrypted: bytes, privateKey: key)
            #expect(download.parts["decryptionKey"]?.testText == Self.decryption)
            #expect(download.parts["verificationKey"]?.testText == Self.verification)
        }
        _ = try sealed("x", in: folder, key: "b.pem")
        let other = try privateKey("b.pem", in: folder)
        var changed = encrypted
        changed[100] ^= 1
        let table: [([UInt8], RSAPrivateKey, String)] = [
            (encrypted, other, "wrong-private-key"), (changed, key, "wrong-private-key"), ([], key, "wrong-length"),
            (encrypted + [0x0A], key, "wrong-length"), (Array(encrypted.dropLast()), key, "wrong-length"),
            (Array(text.utf8), key, "wrong-length"), (encrypted + encrypted, key, "wrong-length"),
        ]
        for (bytes, key, code) in table {
            let error = #expect(throws: KeyError.self) { try PlayConsoleDownload(encrypted: bytes, privateKey: key) }
            #expect(error?.code == code)
            #expect(error?.description.contains("AAECAwQF") == false)
        }
    }
}
