import Approov
import Assay
import AssayCore
import AssayInspection
import AssayPrimitives
import AssayTesting
import Foundation
import PlayIntegrity

extension FuzzTarget {
    /// Texts of keys: from the Play Console and from Approov's tool, key sets and PEM.
    static let keyImport = FuzzTarget(
        name: "key-import", maximumLength: 768,
        dictionary: [
            "DECRYPTION_KEY=", "VERIFICATION_KEY=", "-----BEGIN PUBLIC KEY-----\n", "-----END PUBLIC KEY-----",
            "\"kty\":\"EC\"",
            "\"crv\":\"P-256\"", "\"keys\":[", "\"kid\":", "\"alg\":\"ES256\"", "\"kty\":\"oct\"", "\"kty\":\"RSA\"",
            "=", "\r\n",
            "export ", "\"use\":\"sig\"", "\"e\":\"AQAB\"", "assay-capture-public:",
        ],
        seeds: { KeyTexts.all },
        run: { input in
            var isAccepted = KeyTexts.readsPublicKeys(SecretBytes(input))
            for reader in KeyTexts.readers {
                guard let failure = reader(SecretBytes(input)) else {
                    isAccepted = true
                    continue
                }
                // No error may quote a possible secret: a run of its characters as long as the shortest key.
                guard let shown = KeyTexts.shown(of: input, in: failure) else { continue }
                broken("an error shows \(shown.count) bytes of the input: \(failure)")
            }
            return isAccepted
        })
}

private enum KeyTexts {
    private static let point = GoogleMint.signer.key.publicPoint
    private static let publicKey = Base64.encode(GoogleMint.signer.key.subjectPublicKeyInfo(), .standard)
    private static let download =
        "DECRYPTION_KEY=\(Base64.encode(EngineKeys.decryption, .standard))\nVERIFICATION_KEY=\(publicKey)\n"
    private static let set =
        #"{"keys":[{"kty":"EC","crv":"P-256","kid":"a","alg":"ES256","use":"sig","x":"\#(coordinate(1))","y":"\#(coordinate(33))"}]}"#
    private static let pem = "-----BEGIN PUBLIC KEY-----\n\(publicKey)\n-----END PUBLIC KEY-----\n"

    private static func coordinate(_ start: Int) -> String { Base64.encode(Array(point[start..<start + 32]), .url) }

    static let all = [
        download, set, pem, "The secret is \"\(Base64.encode(EngineKeys.secret, .standard))\".\n", publicKey,
        Base64.encode(EngineKeys.message, .standard), Base64.encode(EngineKeys.decryption, .standard),
    ].map { Array($0.utf8) }

    private static func error(_ body: () throws -> Void) -> String? {
        do { try body() } catch { return "\(error)" }
        return nil
    }

    static let readers: [@Sendable (SecretBytes) -> String?] = [
        { text in
            error {
                let parts = try PlayConsoleDownload(text: text).parts
                _ = try PlayIntegrityKeys.reading(parts)
            }
        },
        { text in error { _ = try PlayIntegrityKeys.reading(["decryptionKey": text, "verificationKey": text]) } },
        { text in
            error {
                let output = try ApproovToolOutput(text)
                guard (try? ApproovKey.reading(["secret": output.secret])) != nil else {
                    FuzzTarget.broken("a secret of the tool's is none")
                }
            }
        },
        { text in error { _ = try ApproovKey.reading(["secret": text]) } },
        { text in
            error { _ = try ApproovMessageKey.reading(["secret": text, "keyID": SecretBytes(Array("a".utf8))]) }
        },
    ]

    /// Whether a text contains public keys, which errors may quote.
    static func readsPublicKeys(_ text: SecretBytes) -> Bool {
        ["publicKey", "keySet"].map { (try? ApproovKey.reading([$0: text])) != nil }.contains(true)
    }

    /// A part of the input that occurs in an error and is long enough to disclose a secret.
    static func shown(of input: [UInt8], in failure: String) -> ArraySlice<UInt8>? {
        let length = 24
        let text = Array(failure.utf8)
        var start = 0
        while start + length <= input.count {
            let run = input[start..<start + length]
            // Labels of PEM blocks may be quoted. They have no lower-case letters.
            let isLabel = run.allSatisfy { (0x41...0x5A).contains($0) }
            if run.allSatisfy(isBase64), !isLabel, text.contains(Array(run)) { return run }
            start += 1
        }
        return nil
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
