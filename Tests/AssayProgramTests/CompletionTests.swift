import Foundation
import Testing

/// What Bash offers for the beginning of a command line.
@Suite("Completions")
struct CompletionTests {
    /// Completes a line as Bash does: it also ends words at colons and equals signs.
    private func offers(_ line: String, in scratch: Scratch) throws -> [String] {
        var words: [String] = line.matches(of: /[:=]+|[^\s:=]+/).map { String($0.output) }
        if line.hasSuffix(" ") { words.append("") }
        let last = words.last ?? ""
        let current = last.contains(/^[:=]+$/) ? "" : last
        try scratch.write("words", Data(words.joined(separator: "\n").utf8))
        let run = try scratch.shell(
            """
            mkdir -p bin && ln -sf "$ASSAY" bin/assay && PATH="$PWD/bin:$PATH"
            source <(assay completion bash)
            COMP_LINE='\(line)'; COMP_POINT=${#COMP_LINE}; COMP_WORDS=(); COMPREPLY=()
            while IFS= read -r word || [[ -n "$word" ]]; do COMP_WORDS+=("$word"); done <words
            (( ${#COMP_WORDS[@]} < \(words.count) )) && COMP_WORDS+=('')
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            function="$(complete -p assay)"; function="${function##*-F }"
            "${function%% *}" assay '\(current)' "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """)
        #expect(run.status == 0 && run.errors.isEmpty, "\(line): \(run)")
        return run.lines.map(String.init)
    }

    @Test("Kinds, keys of the configuration, commands after help, shells and remedies are offered")
    func words() throws {
        let scratch = try Scratch()
        let table = [
            ("assay verify --kind app-attest.a", ["app-attest.attestation", "app-attest.assertion"]),
            ("assay serve --set logF", ["logFormat="]), ("assay healthcheck --set shutdown.d", ["shutdown.delay="]),
            ("assay help expl", ["explain"]), ("assay help ledger quar", ["quarantine"]),
            ("assay completion f", ["fish"]), ("assay explain new-att", ["new-attestation"]),
            ("assay challenge issue --kind app-attest.as", ["app-attest.assertion"]),
            ("assay verify --key-id h", ["hex:"]), ("assay verify --ledger m", ["memory:"]),
            ("assay ledger show --ledger s", ["sqlite:"]), ("assay keys retire k --master-key e", ["env:"]),
        ]
        for (line, words) in table { #expect(try offers(line, in: scratch) == words, "\(line)") }
    }

    @Test("After sqlite: and file: the files are offered")
    func files() throws {
        let scratch = try Scratch()
        for name in ["ledger.sqlite", "ledger2.sqlite", "secret.b64"] { try scratch.write(name, Data()) }
        let table = [
            ("assay ledger show --ledger sqlite:led", ["ledger.sqlite", "ledger2.sqlite"]),
            ("assay ledger show --ledger=sqlite:ledger2", ["ledger2.sqlite"]),
            ("assay verify --master-key file:sec", ["secret.b64"]),
            ("assay migrate sqlite:ledger2", ["ledger2.sqlite"]),
        ]
        for (line, words) in table { #expect(try offers(line, in: scratch).sorted() == words, "\(line)") }
        // Other shells ask the program for whole values; zsh takes what follows a colon as a description.
        let ask = ["---completion", "ledger", "show", "--", "--ledger", "3", "13", "assay", "ledger", "show"]
        for (shell, value) in [("fish", "sqlite:ledger2.sqlite"), ("zsh", "sqlite\\:ledger2.sqlite")] {
            let run = try scratch.run(
                ask + ["sqlite:ledger2"], environment: ["SAP_SHELL": shell, "SAP_SHELL_VERSION": "5"])
            #expect(run.status == 0 && run.lines.contains(Substring(value)), "\(shell): \(run)")
        }
    }

    @Test("The command prints the same script as the option, for each shell", arguments: ["bash", "zsh", "fish"])
    func command(shell: String) throws {
        let scratch = try Scratch()
        let script = try scratch.assay("completion", shell)
        #expect(script.status == 0 && script.errors.isEmpty)
        #expect(try scratch.assay("--generate-completion-script", shell).output == script.output)
        #expect(script.output.contains("verify inspect replay"))
        // Behind a command too, whose first parse does not know the option.
        for command in ["verify", "serve"] {
            let run = try scratch.assay(command, "--generate-completion-script", shell)
            #expect(run.status == 0 && run.output.contains("playintegrity"), "\(command)")
        }
    }

    @Test("Shell completions offer kinds and checks", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) throws {
        let run = try Scratch().assay("--generate-completion-script", shell)
        #expect(run.status == 0)
        #expect(run.output.contains("app-attest.attestation.nonce"))
        #expect(run.output.contains("app-attest.receipt"))
        #expect(run.output.contains("play-integrity.classic"))
    }
}
