import AssayTesting
import Foundation

/// Integrity tokens under test keys.
enum TestTokens {
    static let packageName = "com.example.shop"
    static let keys = PlayIntegrityTestKeys(seed: "assay command line", label: "shop")
    static let digest = [UInt8](repeating: 0x6A, count: 32)
    static let requestHash = "aGFzaA"

    private static let nonceBytes = [UInt8](0..<18)
    /// The nonce in the form that a server issues.
    static let nonce = Data(nonceBytes).base64EncodedString()
    /// The digest in the form that the Play Console shows.
    static let hexDigest = digest.map { String($0, radix: 16, uppercase: true) }.joined(separator: ":")

    /// The command for `token.txt` with the evidence options.
    static func classicEvidence(packageName: String = packageName, nonce: String = nonce) -> [String] {
        ["verify", "--kind", "play-integrity.classic", "--package-name", packageName, "--nonce", nonce, "token.txt"]
    }

    /// The complete command for `token.txt`.
    static func classic(
        packageName: String = packageName, nonce: String = nonce, digest: String = hexDigest
    ) -> [String] {
        classicEvidence(packageName: packageName, nonce: nonce) + [
            "--certificate-digest", digest, "--decryption-key", "file:d", "--verification-key", "file:v",
        ]
    }

    /// The command for Google's answer in `answer.json`, with the evidence options.
    static func standardEvidence(requestHash: String = requestHash) -> [String] {
        standardFile(requestHash: requestHash) + ["--decoded", "answer.json"]
    }

    /// The complete command for Google's answer in `answer.json`.
    static func standard(requestHash: String = requestHash) -> [String] {
        standardEvidence(requestHash: requestHash) + ["--certificate-digest", hexDigest]
    }

    /// The complete command for a token in a file.
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

    /// Google's answer for a classic token.
    static func classicAnswer() -> [UInt8] {
        var blueprint = standardBlueprint
        blueprint.payload = classicBlueprint.payload
        return blueprint.mint().body
    }
}

extension Scratch {
    /// Writes a genuine token `token.txt` and its keys `d` and `v`. Returns the token.
    @discardableResult
    func writeClassicToken() throws -> String {
        let token = try TestTokens.classicToken()
        try write("token.txt", Data(token.utf8))
        try writeSecret("d", TestTokens.keys.decryptionKeyFile)
        try writeSecret("v", TestTokens.keys.verificationKeyFile)
        return token
    }

    /// Writes Google's answer for a genuine token, `answer.json`.
    func writeStandardAnswer() throws { try write("answer.json", TestTokens.standardAnswer()) }
}
