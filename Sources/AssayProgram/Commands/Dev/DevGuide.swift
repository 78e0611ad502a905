import AssayTokens
import Foundation

/// What `assay dev` prints when it is ready: what there is, and three commands to try.
struct DevGuide {
    let folder: DevFolder
    /// The URL of the service.
    let url: String
    /// The addresses of the listeners, the public one first.
    let addresses: [String]

    var text: String {
        let program = Self.word(Self.program)
        let device = Self.word(folder.path(DevPhone.ios.file))
        let ledger = Self.word("sqlite:\(folder.path(.ledger))")
        let record = Self.word(folder.path("request.json"))
        let curl = "curl -K \(Self.word(folder.path(.curl))) \(url)/v1/verify --data-binary"
        return """
            The service is ready at \(url), until Ctrl-C.

              folder     \(folder.root) (\(folder.fate))
              operators  http://\(addresses.last ?? "")
              tokens     \(url)\(TokenConfiguration.metadataPath)
              operator   its token is in \(folder.path(.token)), and for curl in \(folder.path(.curl))

            \(phones)

            To try, in another terminal:

            # 1. A phone attests its key, with a challenge of the service: accept.
            CHALLENGE=$(\(program) challenge issue --app ios --for app-attest.attestation --ledger \(ledger)) &&
                \(program) mint app-attest attestation --device \(device) --challenge "$CHALLENGE" |
                \(curl) @- | cut -c 1-200

            # 2. It signs a request: accept.
            \(program) mint app-attest request --device \(device) --method POST \\
                --target-uri https://api.example.com/orders --body '{"item":"tea"}' >\(record) &&
                \(curl) @\(record) | cut -c 1-200

            # 3. An attacker sends the same request again: reject.
            \(curl) @\(record) | cut -c 1-200
            """
    }

    /// The table of the phones.
    private var phones: String {
        let rows = DevPhone.allCases.map { phone in
            [phone.rawValue, phone.evidence, "assay mint \(phone.mint)", Self.word(folder.path(phone.file))]
        }
        return Terminal(STDOUT_FILENO).table([["app", "evidence", "command", "test phone"]] + rows)
            .map { "  \($0)" }.joined(separator: "\n")
    }

    /// The program as a shell finds it from any folder.
    private static var program: String {
        let name = ProcessInfo.processInfo.arguments.first ?? "assay"
        return name.contains("/") ? URL(fileURLWithPath: name).standardizedFileURL.path : name
    }

    /// A text as one word of a shell.
    static func word(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "/._-+:=@%".utf8.contains(byte)
            }
        return isPlain ? text : "'\(text.replacing("'", with: #"'\''"#))'"
    }
}
