import Foundation

/// Verifies a long stream and looks at the process's memory on the way.
struct MemoryRun {
    let assertions: Int
    private let limit = 64 * 1024

    /// Prints the resident memory after each tenth, and whether its peak stays below 64 MiB.
    func reachesTarget(_ verify: (Int) -> Void) -> Bool {
        print("resident memory while verifying \(assertions) assertions")
        var samples: [Int] = []
        for _ in 0..<10 {
            verify(assertions / 10)
            samples.append(kibibytes("VmRSS"))
        }
        let peak = kibibytes("VmHWM")
        let isReached = peak > 0 && peak < limit
        print("after each tenth: \(samples.map { "\($0 / 1024)" }.joined(separator: " ")) MiB")
        print("peak \(peak / 1024) MiB, target below 64 MiB, \(isReached ? "reached" : "MISSED")")
        return isReached
    }

    private func kibibytes(_ field: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("\(field):") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
