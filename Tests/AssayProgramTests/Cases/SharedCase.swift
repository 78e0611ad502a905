import AssayTestSupport
import Foundation
import Testing

/// A folder of the shared cases: inputs that people sent to a backend, and how each was to be answered.
struct SharedCase {
    let folder: String

    /// The path of a file of the case.
    func path(_ file: String) throws -> String {
        try #require(SharedFiles.root, "\(SharedFiles.hint)").appendingPathComponent("cases/\(folder)/\(file)").path
    }

    /// Runs the program. In `arguments`, `@` stands for the folder of the case.
    func run(_ arguments: [String]) throws -> Run {
        let folder = try path("") + "/"
        return try Scratch().run(arguments.map { $0.replacing("@", with: folder) })
    }

    /// `assay inspect` of a file.
    func inspect(_ file: String) throws -> Run { try run(["inspect", "@\(file)"]) }

    /// `assay verify` of a chain of Android for the app of the cases.
    func chain(_ file: String, challenge: String = "chal-0001-abcdefgh", roots: String? = "roots.pem") throws -> Run {
        try run(
            [
                "verify", "--kind", "android-key.attestation", "--package", "com.example.shop", "--certificate-digest",
                "eb48aedc4da75a336d2008cee1c80f06342be45e055b3e96a07e67289d8ad189", "--at", "2026-11-25T22:01:00Z",
                "--challenge", challenge, "@\(file)",
            ] + (roots.map { ["--set", "testRoots=file:@\($0)"] } ?? []))
    }

    /// `assay verify` of an attestation for the app of the cases.
    func attestation(
        _ file: String, challenge: String = "hello-challenge-0001", appID: String = "1234567890.com.example.shop"
    ) throws -> Run {
        try run([
            "verify", "--kind", "app-attest.attestation", "--app-id", appID, "--key-id",
            "1HLTPLs0a7HUkw1fzmGpn6B0OWeX6JIug5WkLsoBwIA=", "--challenge", challenge, "--set",
            "testRoots=file:@device-root.pem", "--at", "2026-11-25T22:01:00Z", "@\(file)",
        ])
    }

    /// `assay verify` of an assertion with the key in a file.
    func assertion(_ file: String, key: String) throws -> Run {
        try run([
            "verify", "--kind", "app-attest.assertion", "--app-id", "1234567890.com.example.shop", "--key-id",
            "+L6ZD8FW41zQjzu9Cp9iFdH6euUINMdYCBdVFpms4Q0=", "--public-key", "file:@\(key)", "--counter", "0",
            "--client-data", "file:@body", "@\(file)",
        ])
    }
}

extension Run {
    /// Standard output and standard error with every run of white space as one space: lines are wrapped.
    var text: String { (output + " " + errors).split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
