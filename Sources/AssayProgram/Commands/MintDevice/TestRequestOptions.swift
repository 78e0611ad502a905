import ArgumentParser
import AssayTesting
import Foundation

/// The options for a request with evidence of a test device.
struct TestRequestOptions: ParsableArguments {
    @Option(help: "The method.")
    var method = "GET"

    @Option(help: ArgumentHelp("What the client asks for, https://HOST/PATH.", valueName: "uri"))
    var targetURI: String

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The body: text, or file:PATH.", valueName: "text"))
    var body: String?

    @Option(help: ArgumentHelp("The nonce of the signature: a challenge of the server.", valueName: "text"))
    var nonce: String?

    @Flag(help: "Prints the fields of the request in place of the record, one on each line, for curl --header @FILE.")
    var headers = false

    /// Mints the request and prints its record or its fields.
    func print(_ evidence: SignedRequestBlueprint.Evidence, id: String, of device: TestDeviceOptions) throws {
        let time = device.time
        var blueprint = SignedRequestBlueprint(
            method: method, targetURI: targetURI, evidence: evidence, nonce: nonce, createdAt: time)
        if let body { blueprint.body = try ValueArgument(body, plain: .text).resolve() }
        let minted = try TestDeviceOptions.minting { () throws(MintingError) in try blueprint.mint() }
        guard headers else {
            return try device.print(minted.record(id: id, app: device.app, receivedAt: time))
        }
        for header in minted.headers { try Console.print("\(header.name): \(header.value)") }
    }
}
