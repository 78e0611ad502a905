import AssayReplay
import Foundation

/// Shows progress in one line on standard error, only if that is a terminal.
struct ReplayProgress {
    private let isShown = isatty(STDERR_FILENO) == 1
    private let total: Int?
    private let start = ContinuousClock.now
    private var shownAt: ContinuousClock.Instant?
    private var isOnScreen = false
    private var accepted = 0
    private var rejected = 0
    private var failed = 0

    init(total: Int?) {
        self.total = total
    }

    /// Counts a batch. Redraws the line at most five times a second.
    mutating func update(_ batch: ReplayBatchOutput, bytesRead: Int) {
        accepted += batch.accepted
        rejected += batch.rejected
        failed += batch.failed
        guard isShown else { return }
        let now = ContinuousClock.now
        if let shownAt, shownAt.duration(to: now) < .milliseconds(200) { return }
        shownAt = now
        isOnScreen = true
        Console.show("\r\(line(bytesRead: bytesRead, elapsed: start.duration(to: now) / .seconds(1)))\u{1B}[K")
    }

    /// Erases the line before other output.
    mutating func clear() {
        guard isOnScreen else { return }
        isOnScreen = false
        Console.show("\r\u{1B}[K")
    }

    /// Renders the line; `elapsed` is in seconds since the start.
    func line(bytesRead: Int, elapsed: Double) -> String {
        let count = accepted + rejected + failed
        var parts = [NumberText.count(count, "record")]
        if elapsed > 0.5 { parts.append("\(NumberText.count(Int(Double(count) / elapsed)))/s") }
        if let total, total > 0, bytesRead > 0 {
            let share = min(Double(bytesRead) / Double(total), 1)
            parts.append("\(Int(share * 100)) %")
            if elapsed > 1 { parts.append("\(ReplayProgress.clock(elapsed / share - elapsed)) left") }
        }
        parts.append("\(NumberText.count(accepted)) accepted, \(NumberText.count(rejected)) rejected")
        if failed > 0 { parts.append("\(NumberText.count(failed)) not judged") }
        return parts.joined(separator: "  ")
    }

    private static func clock(_ seconds: Double) -> String {
        let whole = Int(max(0, min(seconds, 359_999)).rounded(.up))
        let (minutes, rest) = (whole / 60, whole % 60)
        return "\(minutes):\(rest < 10 ? "0" : "")\(rest)"
    }
}
