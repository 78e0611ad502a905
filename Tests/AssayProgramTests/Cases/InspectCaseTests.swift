import AssayTestSupport
import Foundation
import Testing

/// What `assay inspect` finds in blobs as they come in practice.
@Suite("Shared cases, assay inspect", .enabled(if: SharedFiles.isAvailable, "\(SharedFiles.hint)"))
struct InspectCaseTests {
    /// A file of a case, and texts that the inspection has.
    struct Expectation: Sendable, CustomTestStringConvertible {
        let folder: String
        let file: String
        let texts: [String]

        var testDescription: String { "\(folder)/\(file)" }

        static func all(_ folder: String, _ files: [String], _ texts: String...) -> [Expectation] {
            files.map { Expectation(folder: folder, file: $0, texts: texts) }
        }
    }

    static let expectations =
        Expectation.all(
            "02-webauthn-object-taken-for-app-attest", ["android-key.b64", "packed.b64"], "WebAuthn attestation object",
            "no App Attest", "authData")
        + Expectation.all(
            "04-json-with-pem", ["body.json"], "JSON document", "Android Key Attestation certificate",
            "attestationChallenge")
        + Expectation.all(
            "04-json-with-pem", ["array-of-pem.json"], "Android Key Attestation chain", "attestationChallenge")
        + Expectation.all(
            "05-single-leaf-pem", ["leaf.pem", "leaf.der"], "Android Key Attestation certificate",
            "attestationChallenge")
        + Expectation.all(
            "06-chains-in-base64", ["array.json", "comma.txt", "concatenated.b64", "lines.txt", "padded-lines.txt"],
            "Android Key Attestation chain", "certificate 0", "attestationChallenge")
        + Expectation.all(
            "11-evidence-inside-text",
            [
                "curl.sh", "form.txt", "line.log", "multipart.http", "optional.txt", "rows.csv", "source.js",
                "utf16.txt",
                "values.yaml",
            ], "App Attest assertion", "rpIdHash")
        + Expectation.all(
            "12-byte-lists",
            [
                "array.json", "buffer.json", "go.txt", "java.txt", "node.txt", "nsdata-new.txt", "nsdata.txt",
                "uint8array.json",
            ], "list of bytes", "App Attest assertion", "rpIdHash")
        + Expectation.all(
            "13-compressed-inside-base64", ["deflate.b64url", "gzip.b64", "zlib.b64"], "compressed bytes",
            "App Attest attestation object")
        + Expectation.all("14-evidence-inside-cbor", ["wrapper.b64"], "CBOR", "App Attest assertion", "rpIdHash")
        + Expectation.all("15-signature-field-of-another-label", ["request.http"], "App Attest assertion", "rpIdHash")
        + Expectation.all(
            "22-plus-became-space", ["attestation.txt"], "spaces stand where + belongs",
            "App Attest attestation object")

    @Test("A blob in what clients, logs and databases put around it is found and decoded", arguments: expectations)
    func inspection(_ expectation: Expectation) throws {
        let run = try SharedCase(folder: expectation.folder).inspect(expectation.file)
        #expect(run.status == 0)
        for text in expectation.texts { #expect(run.output.contains(text), "\(run.output.prefix(2000))") }
        // The strict decoder accepts each of these blobs but those of the mistake of case 22.
        #expect(!run.output.contains("strict decoding stops here: byte 0:"), "\(run.output.prefix(2000))")
    }
}
