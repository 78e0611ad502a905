import ArgumentParser

/// `assay capture`: keys, sealing, opening and redacting of captured records.
struct CaptureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture",
        abstract: "Makes keys for captured records; opens, seals and redacts them.",
        discussion: """
            Backends capture records with RecordCapture of the library Assay. Sealed ones can be read only with the private key \
            that belongs to the public one that the backend was given:

              assay capture key --output keys
              assay capture open --key file:keys/capture-private.key captures/
            """,
        subcommands: [
            CaptureKeyCommand.self, CaptureOpenCommand.self, CaptureSealCommand.self, CaptureRedactCommand.self,
        ])
}
