import Foundation
import Testing

@Suite("assay mint android-key")
struct MintAndroidKeyTests {
    private static let digest = String(repeating: "6A:", count: 31) + "6a"

    private func scratch() throws -> Scratch {
        let scratch = try Scratch()
        let made = try scratch.run(["mint", "android-key", "device", "device.json", "--root", "roots.pem"])
        #expect(made.status == 0 && made.errors.contains("key ID "), "\(made.errors)")
        return scratch
    }

    private func attestation(_ scratch: Scratch, _ arguments: [String]) throws -> Run {
        try scratch.run(
            [
                "mint", "android-key", "attestation", "--device", "device.json", "--package", "com.example.shop",
                "--challenge", "challenge",
            ] + arguments)
    }

    private func certificates(_ run: Run) throws -> [Data] {
        let evidence = try run.json().first?["evidence"] as? [String: Any]
        let texts = try #require(evidence?["certificates"] as? [String])
        return try texts.map { try #require(Data(base64Encoded: $0)) }
    }

    @Test(
        "Each device model except software has a chain to the authority's roots",
        arguments: [("remote", 5), ("strongbox", 5), ("factory", 4), ("software", 3)])
    func models(model: String, count: Int) throws {
        let scratch = try scratch()
        let roots = try String(
            contentsOf: scratch.folder.appendingPathComponent("roots.pem"), encoding: .utf8
        ).filter { $0 != "\n" }
        for options in [[], ["--rsa"]] {
            let run = try attestation(scratch, options + ["--certificate-digest", Self.digest, "--model", model])
            #expect(run.status == 0, "\(options): \(run.errors)")
            let chain = try certificates(run)
            #expect(chain.count == count)
            #expect(roots.contains(try #require(chain.last).base64EncodedString()) == (model != "software"))
        }
        // The forms that policies take.
        let base64 = String(repeating: "ampq", count: 10) + "amo"
        for digest in [base64, base64 + "=", "base64url", String(repeating: "6a", count: 32)] {
            let text = digest == "base64url" ? "-_" + base64.dropFirst(2) : digest
            let run = try attestation(scratch, ["--certificate-digest=\(text)"])
            #expect(run.status == 0, "\(text): \(run.errors)")
        }
    }

    @Test("The device signs requests with its attested key and prints their fields for curl")
    func requests() throws {
        let scratch = try scratch()
        for (options, algorithm) in [([], "ecdsa-p256-sha256"), (["--rsa"], "rsa-v1_5-sha256")] {
            let run = try scratch.run(
                [
                    "mint", "android-key", "request", "--device", "device.json", "--target-uri",
                    "https://api.example.com/", "--method", "POST", "--body", "{}", "--headers",
                ] + options)
            let lines = run.output.split(separator: "\n")
            #expect(lines.count == 3, "\(run.errors)")
            #expect(lines[0].hasPrefix("Content-Digest: sha-256=:"))
            #expect(lines[1].contains(#";alg="\#(algorithm)";"#) && lines[1].hasSuffix(#";tag="android-key""#))
            #expect(lines[2].hasPrefix("Signature: assay=:"))
        }
    }

    @Test("A digest of another length and an existing file are refused")
    func arguments() throws {
        let scratch = try scratch()
        let short = try attestation(scratch, ["--certificate-digest", "6a6a"])
        #expect(short.status == 64 && short.errors.contains("--certificate-digest: "), "\(short.errors)")
        let again = try scratch.run(["mint", "android-key", "device", "device.json", "--root", "other.pem"])
        #expect(again.status == 64 && again.errors.contains("device.json exists already"))
        #expect(!scratch.exists("other.pem"))
    }
}
