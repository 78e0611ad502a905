import ArgumentParser
import AssayTesting
import Foundation

/// `assay mint app-attest`: writes the App Attest test vectors.
struct MintAppAttestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app-attest",
        abstract: "Writes App Attest test vectors: records with their expectations, policies, a test root.",
        discussion: """
            Each file of records is to be judged under the policy.yaml of its folder, as captured. Only those policies \
            trust the test root, and verdicts say so.
            """)

    @OptionGroup var options: MintOptions

    func run() throws {
        try options.write { seed, time in
            // Within the range that the vectors demand of their authority.
            let authority = try TestAuthority(seed: seed, notBefore: time.addingTimeInterval(-400 * 86_400))
            return try AppAttestVectors.files(authority: authority, at: time)
        }
    }
}
