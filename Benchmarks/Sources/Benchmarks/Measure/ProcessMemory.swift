import Foundation

/// The memory of a process, as Linux tells it.
enum ProcessMemory {
    /// - Parameters:
    ///   - field: `VmRSS`, what is resident now, or `VmHWM`, the most that ever was.
    ///   - process: the identifier of a process, or `self`.
    /// - Returns: mebibytes; 0 when nothing can be told.
    static func mebibytes(_ field: String, of process: String = "self") -> Double {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("\(field):") } ?? ""
        return (Double(line.filter(\.isNumber)) ?? 0) / 1024
    }
}

extension Figure {
    /// A process's peak of resident memory, as a share of what it may take.
    /// - Parameter samples: mebibytes that were resident on the way.
    static func memory(_ name: String, peak: Double, limit: Double, samples: [Double]) -> Figure {
        guard peak > 0 else {
            return Figure(name, against: "\(Int(limit)) MiB", notShown: "no /proc", target: .atMost(1))
        }
        let way = samples.map { "\(Int($0))" }.joined(separator: " ")
        return Figure(
            name, against: "\(Int(limit)) MiB", ratios: [peak / limit], target: .atMost(1),
            detail: "peak \(Int(peak)) MiB; after each tenth \(way)")
    }
}
