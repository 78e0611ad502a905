import AssayTesting
import Foundation

/// Integrity tokens of test keys for the tests of the command line.
enum TestTokens {
    static let packageName = "com.example.shop"
    static let keys = PlayIntegrityTestKeys(seed: "assay command line", label: "shop")
    static let digest = [UInt8](repeating: 0x6A, count: 32)
    static let requestHash = "aGFzaA"

    private static let nonceBytes = [UInt8](0..<18)
    /// The nonce as a server gives it out.
    static let nonce = Data(nonceBytes).base64EncodedString()
    /// The digest as the Play Console shows it.
    static let hexDigest = digest.map { String($0, radix: 16, uppercase: true) }.joined(separator: ":")

    /// The command for `token.txt` with what belongs to the evidence.
    static func classicEvidence(packageName: String = packageName, nonce: String = nonce) -> [String] {
        ["verify", "--kind", "play-integrity.classic", "--package-name", packageName, "--nonce", nonce, "token.txt"]
    }

    /// The command for `token.txt` with everything.
    static func classic(
        packageName: String = packageName, nonce: String = nonce, digest: String = hexDigest
    ) -> [String] {
        classicEvidence(packageName: packageName, nonce: nonce) + [
            "--certificate-digest", digest, "--decryption-key", "file:d", "--verification-key", "file:v",
        ]
    }

    /// The command for Google's answer in `answer.json`, with what belongs to the evidence.
    static func standardEvidence(requestHash: String = requestHash) -> [String] {
        standardFile(requestHash: requestHash) + ["--decoded", "answer.json"]
    }

    /// The command for Google's answer in `answer.json`, with everything.
    static func standard(requestHash: String = requestHash) -> [String] {
        standardEvidence(requestHash: requestHash) + ["--certificate-digest", hexDigest]
    }

    /// The command for a token in a file, with everything.
    static func standardToken(_ file: String) -> [String] {
        standardFile() + [file, "--certificate-digest", hexDigest]
    }

    private static func standardFile(requestHash: String = requestHash) -> [String] {
        ["verify", "--kind", "play-integrity.standard", "--package-name", packageName, "--request-hash", requestHash]
    }

    private static var classicBlueprint: ClassicTokenBlueprint {
        ClassicTokenBlueprint(
            keys: keys, packageName: packageName, nonce: nonceBytes, certificateDigests: [digest],
            issuedAt: TestEvidence.now)
    }

    private static var standardBlueprint: StandardAnswerBlueprint {
        StandardAnswerBlueprint(
            packageName: packageName, requestHash: requestHash, certificateDigests: [digest],
            issuedAt: TestEvidence.now)
    }

    static func classicToken() throws -> String { try classicBlueprint.mint().token }

    static func standardAnswer() -> [UInt8] { standardBlueprint.mint().body }

    /// Google's answer on a classic token.
    static func classicAnswer() -> [UInt8] {
        var blueprint = standardBlueprint
        blueprint.payload = classicBlueprint.payload
        return blueprint.mint().body
    }
}

extension Scratch {
    /// Writes a genuine token `token.txt` and its keys `d` and `v`, and returns the token.
    @discardableResult
    func writeClassicToken() throws -> String {
        let token = try TestTokens.classicToken()
        try write("token.txt", Data(token.utf8))
        try writeSecret("d", TestTokens.keys.decryptionKeyFile)
        try writeSecret("v", TestTokens.keys.verificationKeyFile)
        return token
    }

    /// Writes Google's answer on a genuine token, `answer.json`.
    func writeStandardAnswer() throws { try write("answer.json", TestTokens.standardAnswer()) }
}
