import AssayPrimitives
import AssayTesting
import Foundation

/// A secret that evidence is closed with or opened with, and the forms in which it must not come out.
struct KnownSecret: Sendable {
    let name: String
    private let forms: [[UInt8]]

    init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        // Base64 of what follows another byte or two looks different; that of whole keys is what prints and logs show.
        let texts = [
            Hexadecimal.text(bytes), Hexadecimal.text(bytes).uppercased(), Base64.encode(bytes, .standard),
            Base64.encode(bytes, .url),
        ]
        // The beginning tells as much, and is found when only a part comes out.
        forms = [bytes] + texts.map { Array($0.utf8.prefix(16)) }
    }

    /// Whether a form of it stands in some bytes, and it is not the input that brought it there.
    func comesOut(in bytes: [UInt8], of input: [UInt8]) -> Bool {
        forms.contains { bytes.contains($0) && !isHinted($0, in: input) && !isHinted(forms[0], in: input) }
    }

    /// Whether twelve bytes of a form stand in an input, with which what is told about the input may hold all of that form: the
    /// digit of an escape was the byte that was missing. The secret itself may come back in any form.
    private func isHinted(_ form: [UInt8], in input: [UInt8]) -> Bool {
        (0...max(0, form.count - 12)).contains { input.contains(Array(form.dropFirst($0).prefix(12))) }
    }

    private enum Hexadecimal {
        static func text(_ bytes: [UInt8]) -> String {
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
        }
    }
}

/// The keys of everything that is minted here.
enum EngineKeys {
    /// What Google shares with the app.
    static let decryption = Digest.sha256(Array("fuzz decryption key".utf8))
    /// The secret of the Approov account: 64 bytes.
    static let secret = Digest.sha256(Array("fuzz secret 1".utf8)) + Digest.sha256(Array("fuzz secret 2".utf8))
    /// What the account signs messages with.
    static let message = Digest.sha256(Array("fuzz message key".utf8))
    /// The measurements of the app.
    static let measurements = ApproovTestMeasurements(seed: "fuzz", label: "engines")

    /// What verdicts never show.
    static let secrets = [
        KnownSecret("the decryption key", decryption), KnownSecret("the account's secret", secret),
        KnownSecret("the digest of the secret", Digest.sha256(secret)), KnownSecret("the message key", message),
    ]

    /// What verdicts show only where it stands for something else.
    static let measured = [
        KnownSecret("the key of proofs", measurements.proofKey ?? []),
        KnownSecret("the integrity measurement", measurements.integrity ?? []),
        KnownSecret("the device measurement", measurements.device ?? []),
    ]
}
