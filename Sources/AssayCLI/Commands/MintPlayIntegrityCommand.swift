import ArgumentParser
import AssayTesting

/// `assay mint play-integrity`: writes the Play Integrity test vectors.
struct MintPlayIntegrityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play-integrity",
        abstract: "Writes Play Integrity test vectors: records with their expectations, policies, test keys.",
        discussion: """
            Each file of records is to be judged under the policy.yaml of its folder, as captured. The tokens are \
            encrypted and signed with the test keys, which are those of no app in the Play Console. Decryption keys are \
            written so that only you can read them, as `assay` demands of files with secrets.
            """)

    @OptionGroup var options: MintOptions

    func run() throws {
        try options.write { try PlayIntegrityVectors.files(seed: $0, at: $1) }
    }
}
