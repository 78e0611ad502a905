import Assay
import AssayCore
import Logging

/// Follows the admitted builds, so that no request waits for them, and logs when they cannot be read.
struct BuildsUpkeep: Sendable {
    private static let interval = Duration.seconds(2)

    let state: ServiceState
    let logger: Logger

    /// Follows them until the task is cancelled.
    func run() async {
        var isDown = false
        while !Task.isCancelled {
            let outage = await state.verifier.refreshBuilds()
            if let outage, !isDown {
                logger.warning(
                    "admitted builds cannot be read, and those before stay in force",
                    metadata: ["assay.problem": "\(outage.description)"])
            } else if outage == nil, isDown {
                logger.notice("admitted builds can be read again")
            }
            isDown = outage != nil
            try? await Task.sleep(for: Self.interval)
        }
    }
}
