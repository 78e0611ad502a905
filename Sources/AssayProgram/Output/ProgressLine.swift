import Foundation

/// A line on standard error that is redrawn in place, only if that is a terminal.
struct ProgressLine {
    private let isShown = isatty(STDERR_FILENO) == 1
    private let start = ContinuousClock.now
    private var shownAt: ContinuousClock.Instant?
    private var isOnScreen = false

    /// Redraws the line, at most five times a second.
    ///
    /// - Parameter parts: gives the parts, the most important first, for the seconds since the start. Parts that exceed the
    ///   width of the terminal are left out.
    mutating func update(_ parts: (_ elapsed: Double) -> [String]) {
        guard isShown else { return }
        let now = ContinuousClock.now
        if let shownAt, shownAt.duration(to: now) < .milliseconds(200) { return }
        shownAt = now
        isOnScreen = true
        let columns = Terminal(STDERR_FILENO).columns ?? 80
        Console.show("\r\(Self.fitting(parts(start.duration(to: now) / .seconds(1)), columns: columns))\u{1B}[K")
    }

    /// Erases the line before other output.
    mutating func clear() {
        guard isOnScreen else { return }
        isOnScreen = false
        Console.show("\r\u{1B}[K")
    }

    /// As many of the parts as leave the last column free, where terminals wrap; at least the beginning of the first.
    private static func fitting(_ parts: [String], columns: Int) -> String {
        var line = ""
        for part in parts {
            let longer = line.isEmpty ? part : "\(line)  \(part)"
            guard longer.count < columns else { break }
            line = longer
        }
        return line.isEmpty ? String((parts.first ?? "").prefix(max(0, columns - 1))) : line
    }
}
