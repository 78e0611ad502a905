import AssayPrimitives
import AssayTesting
import Foundation

/// A secret that closes or opens evidence, and the forms in which it must not appear in output.
struct KnownSecret: Sendable {
    let name: String
    private let forms: [[UInt8]]

    init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        // Base64 after one or two other bytes would look different. Code that prints or logs a key encodes the whole
        // key.
        let texts = [
            Hexadecimal.text(bytes), Hexadecimal.text(bytes).uppercased(), Base64.encode(bytes, .standard),
            Base64.encode(bytes, .url),
        ]
        // Search for the beginning only: it finds partial output too.
        forms = [bytes] + texts.map { Array($0.utf8.prefix(16)) }
    }

    /// Whether a form of the secret occurs in some bytes, and the input does not explain it.
    func comesOut(in bytes: [UInt8], of input: [UInt8]) -> Bool {
        forms.contains { bytes.contains($0) && !isHinted($0, in: input) && !isHinted(forms[0], in: input) }
    }

    /// Whether an input contains twelve bytes of a form. A message that quotes such an input may contain the whole
    /// form: once, the digit of an escape supplied the missing byte. If the input contains the secret itself, any form
    /// may appear.
    private func isHinted(_ form: [UInt8], in input: [UInt8]) -> Bool {
        (0...max(0, form.count - 12)).contains { input.contains(Array(form.dropFirst($0).prefix(12))) }
    }

    private enum Hexadecimal {
        static func text(_ bytes: [UInt8]) -> String {
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
        }
    }
}

/// The keys of all minted evidence.
enum EngineKeys {
    /// The key that Google shares with the app.
    static let decryption = Digest.sha256(Array("fuzz decryption key".utf8))
    /// The secret of the Approov account: 64 bytes.
    static let secret = Digest.sha256(Array("fuzz secret 1".utf8)) + Digest.sha256(Array("fuzz secret 2".utf8))
    /// The account's key for message signatures.
    static let message = Digest.sha256(Array("fuzz message key".utf8))
    /// The measurements of the app.
    static let measurements = ApproovTestMeasurements(seed: "fuzz", label: "engines")

    /// The secrets that no verdict may contain.
    static let secrets = [
        KnownSecret("the decryption key", decryption), KnownSecret("the account's secret", secret),
        KnownSecret("the digest of the secret", Digest.sha256(secret)), KnownSecret("the message key", message),
    ]

    /// The secrets that a verdict may contain only as the value of something else.
    static let measured = [
        KnownSecret("the key of proofs", measurements.proofKey ?? []),
        KnownSecret("the integrity measurement", measurements.integrity ?? []),
        KnownSecret("the device measurement", measurements.device ?? []),
    ]
}
