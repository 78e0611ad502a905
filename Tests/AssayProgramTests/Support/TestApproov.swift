import AssayCore
import AssayPrimitives
import AssayTesting
import Foundation

/// Approov evidence under test keys.
enum TestApproov {
    static let deviceID = "h4gubfCFzJu81j/U2BJsdg=="
    static let bound = "Bearer myauth_token"
    static let targetURI = "https://api.example.com/v1/items?a=1"
    static let nonce = [UInt8](0..<16)
    /// Long after the end of any test.
    static let expiresAt = TestEvidence.time.addingTimeInterval(3600)

    static func keys() throws -> ApproovTestKeys { try ApproovTestKeys(seed: "assay command line", label: "api") }

    static func claims() -> ApproovClaimsBlueprint {
        ApproovClaimsBlueprint(expiresAt: expiresAt)
    }

    static func token(
        _ form: ApproovTokenBlueprint.Form = .signed, _ change: (inout ApproovClaimsBlueprint) throws -> Void = { _ in }
    ) throws -> MintedApproovToken {
        var blueprint = ApproovTokenBlueprint(keys: try keys(), claims: claims())
        blueprint.form = form
        try change(&blueprint.claims)
        return try blueprint.mint()
    }

    /// A signed request in the form that a proxy saves.
    static func request(
        account: Bool = false, body: String = #"{"a":1}"#, target: String = "/v1/items?a=1", lineEnd: String = "\r\n"
    ) throws -> String {
        let keys = try keys()
        let token = try token { $0.allowMessages(with: keys) }
        var blueprint = ApproovMessageBlueprint(
            method: "POST", targetURI: targetURI, token: token.token,
            signer: account ? .account(keys.messageKey) : .installation(keys.installationKey),
            createdAt: TestEvidence.time)
        blueprint.body = Array(body.utf8)
        let minted = try blueprint.mint()
        var lines = ["POST \(target) HTTP/1.1", "Host: api.example.com", "Content-Length: \(body.utf8.count)"]
        lines += minted.fields.map { "\($0.name): \($0.value)" }
        return (lines + ["", ""]).joined(separator: lineEnd) + body
    }
}

extension Scratch {
    /// Writes `secret.b64`, `account.b64`, `es.pem`, and a text file.
    func writeApproov(_ name: String = "token.txt", _ text: String) throws {
        let keys = try TestApproov.keys()
        try writeSecret("secret.b64", keys.secretFile)
        try writeSecret("account.b64", keys.messageKeyFile)
        try writeSecret("es.pem", keys.signingKeyFile)
        try write(name, Data(text.utf8))
    }

    /// Runs the program with text on standard input.
    func run(_ arguments: [String], input: String) throws -> Run {
        try write("standard-input", Data(input.utf8))
        let quoted = arguments.map { "'\($0)'" }.joined(separator: " ")
        return try shell("\"$ASSAY\" \(quoted) <standard-input")
    }
}
