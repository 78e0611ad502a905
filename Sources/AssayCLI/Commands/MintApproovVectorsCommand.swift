import ArgumentParser
import AssayTesting

/// `assay mint approov vectors`: writes the Approov test vectors.
struct MintApproovVectorsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vectors",
        abstract: "Writes Approov test vectors: records with their expectations, policies, test keys.",
        discussion: """
            Each file of records is to be judged under the policy.yaml of its folder, as captured. The tokens are signed \
            and encrypted with test keys, which are those of no Approov account. Secrets are written so that only you \
            can read them, as `assay` demands of files with secrets.
            """)

    @OptionGroup var options: MintOptions

    func run() throws {
        try options.write { try ApproovVectors.files(seed: $0, at: $1) }
    }
}
