import AssayTestSupport
import Foundation
import Testing

@Suite("Importing the Play Console's keys on the command line")
struct KeysImportTests {
    /// Creates `private.pem`, encrypted, and `shop.enc`, by the console's instructions.
    private func download(_ scratch: Scratch) throws {
        try scratch.writeKeys()
        try scratch.writeSecret("pass", TestKeys.passphrase + "\n")
        let made = try scratch.shell(
            """
            set -e; umask 077
            openssl genrsa -aes128 -passout file:pass -out private.pem 2048 2>/dev/null
            openssl rsa -in private.pem -passin file:pass -pubout -out public.pem 2>/dev/null
            printf 'DECRYPTION_KEY=%s\\nVERIFICATION_KEY=%s\\n' "$(cat d)" "$(cat v)" >api_keys.txt
            openssl pkeyutl -encrypt -pubin -inkey public.pem -pkeyopt rsa_padding_mode:oaep -in api_keys.txt -out shop.enc
            openssl genrsa -out plain.pem 2048 2>/dev/null
            """)
        try #require(made.status == 0, "\(made.errors)")
    }

    private func command(
        _ file: String = "shop.enc", key: String = "private.pem", with more: [String] = []
    ) -> [String] {
        ["keys", "import", "play-console", file, "--private-key", key, "--name", "play-2026"] + more
            + ["--for", "com.example.shop"] + KeysCommandTests.store
    }

    @Test("Google's download is opened with the RSA key and its passphrase, and is not printed")
    func imported() throws {
        let scratch = try Scratch()
        try download(scratch)
        let run = try scratch.run(command(with: ["--passphrase", "file:pass"]))
        #expect(run.status == 0, "\(run.errors)")
        let list = try scratch.run(["keys", "list", "--json"] + KeysCommandTests.ledger).json()
        #expect(list.count == 1 && list[0]["state"] as? String == "live")
        #expect(list[0]["name"] as? String == "play-2026" && list[0]["for"] as? String == "com.example.shop")
        for form in TestKeys.forms(TestKeys.decryption) + TestKeys.forms(TestKeys.master) + [TestKeys.passphrase] {
            #expect(!run.output.contains(form) && !run.errors.contains(form))
        }
        let variable = try scratch.run(
            command(with: ["--passphrase", "env:PASS"]), environment: ["PASS": TestKeys.passphrase])
        #expect(variable.status == 1 && variable.errors.contains("there is a key play-2026 already"))
    }

    @Test("A file that cannot be opened is reported with the reason and without its contents")
    func refused() throws {
        let scratch = try Scratch()
        try download(scratch)
        try scratch.writeSecret("wrong", "not the passphrase")
        let enc = try Data(contentsOf: scratch.folder.appendingPathComponent("shop.enc"))
        try scratch.write("cut.enc", enc.dropLast())
        try scratch.write("other.enc", Data(repeating: 0x41, count: 300))
        try scratch.write("base64.enc", enc.base64EncodedData(options: .lineLength76Characters))
        let made = try scratch.shell(
            """
            set -e; umask 077
            printf 'hello' | openssl pkeyutl -encrypt -inkey plain.pem -pkeyopt rsa_padding_mode:oaep -out hello.enc
            openssl genrsa -out short.pem 1024 2>/dev/null
            openssl ecparam -name prime256v1 -genkey -noout -out ec.pem
            openssl rsa -in plain.pem -pubout -out public.pem 2>/dev/null
            """)
        try #require(made.status == 0, "\(made.errors)")
        let pass = ["--passphrase", "file:pass"]
        let table: [(arguments: [String], status: Int32, words: String)] = [
            (command("shop.enc", key: "plain.pem"), 2, "it does not open with this private key"),
            (command(with: ["--passphrase", "file:wrong"]), 2, "the passphrase does not decrypt the private key"),
            (command(), 2, "the private key is encrypted, and no passphrase was given; give --passphrase"),
            (command(with: ["--passphrase", "file:none"]), 2, "--passphrase: the file none cannot be read"),
            (command(with: ["--passphrase", TestKeys.passphrase]), 64, "--passphrase: expected file:PATH or env:NAME"),
            (
                command("cut.enc", with: pass), 2,
                "found 255 bytes; what is encrypted for an RSA key of 2048 bits has 256"
            ),
            (command("other.enc", with: pass), 2, "found 300 bytes"),
            (command("none.enc", with: pass), 2, "none.enc cannot be read"),
            (command("hello.enc", key: "plain.pem"), 2, "line 1 of what was encrypted is not NAME=VALUE"),
            (command("shop.enc", key: "short.pem"), 2, "the RSA key has 1024 bits"),
            (command("shop.enc", key: "ec.pem"), 2, "is not an RSA key"),
            (command("shop.enc", key: "public.pem"), 2, "is no private key"),
            (command("shop.enc", key: "shop.enc"), 2, "--private-key: "),
            (command("shop.enc", key: "none.pem"), 2, "--private-key: the file none.pem cannot be read"),
        ]
        // A file in another format must have mode 0600 too, to reach the format check.
        #expect(try scratch.shell("chmod 600 shop.enc").status == 0)
        for (arguments, status, words) in table {
            let run = try scratch.run(arguments)
            #expect(run.status == status && run.errors.contains(words), "\(arguments): \(run.errors)")
            for form in TestKeys.forms(TestKeys.decryption) + [TestKeys.passphrase, "hello\n"] {
                #expect(!run.errors.contains(form), "\(arguments)")
            }
        }
        #expect(!scratch.exists("ledger.sqlite"))
        #expect(try scratch.run(command("base64.enc", with: pass)).status == 0, "base64 of the same bytes is taken")
    }

    @Test("A private key in place of its file is refused and not printed")
    func inlineKey() throws {
        let scratch = try Scratch()
        try download(scratch)
        let pem = try String(contentsOf: scratch.folder.appendingPathComponent("plain.pem"), encoding: .utf8)
        let line = try #require(pem.split(separator: "\n").dropFirst().first)
        let oneLine = pem.replacing("\n", with: " ")
        for text in [pem, oneLine, "file:\(pem)", String(pem.dropFirst(28))] {
            let run = try scratch.run(
                ["keys", "import", "play-console", "shop.enc", "--private-key=\(text)", "--name", "play-2026"]
                    + KeysCommandTests.store)
            #expect(run.status == 64 && run.errors.contains("expected the name of a file"), "\(run.errors)")
            #expect(!run.errors.contains(line) && !run.output.contains(line))
        }
    }

    @Test("A private key with exposed permissions is refused with the command that fixes it")
    func permissions() throws {
        let scratch = try Scratch()
        try download(scratch)
        #expect(try scratch.shell("chmod 640 private.pem").status == 0)
        let run = try scratch.run(command(with: ["--passphrase", "file:pass"]))
        #expect(run.status == 2 && run.errors.contains("(mode 0640); run: chmod 600 private.pem"), "\(run.errors)")
    }

    /// script(1) of util-linux runs a command on a new terminal.
    private static let hasTerminal = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")

    @Test(
        "On a terminal, the passphrase is prompted for without echo, and the terminal is restored",
        .enabled(if: hasTerminal, "script(1) is needed for a terminal"))
    func prompt() throws {
        let scratch = try Scratch()
        try download(scratch)
        let line = command().map { "'\($0)'" }.joined(separator: " ")
        try scratch.write("run.sh", Data("stty -a >before; \"$ASSAY\" \(line); echo status $?; stty -a >after\n".utf8))
        // Input typed before the prompt would be echoed and lost. The test types a mistake and deletes it.
        func wait(for text: String) -> String {
            "n=0; until grep -q '\(text)' said || [ $((n += 1)) -gt 3000 ]; do sleep 0.1; done"
        }
        let run = try scratch.shell(
            "touch said; (\(wait(for: "Passphrase")); printf 'nonsense\\025\(TestKeys.passphrase)x\\177\\n'; "
                + "\(wait(for: "status"))) | SHELL=/bin/sh script -qefc 'sh run.sh' said")
        #expect(run.output.contains("Passphrase of private.pem: "), "\(run.output)")
        #expect(run.output.contains("status 0"), "\(run.output)")
        #expect(!run.output.contains("sesame") && !run.output.contains("nonsense"))
        let settings = try ["before", "after"].map {
            try String(contentsOf: scratch.folder.appendingPathComponent($0), encoding: .utf8)
        }
        #expect(settings[0] == settings[1] && settings[0].contains(" echo "))
    }
}
