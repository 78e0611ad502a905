import Assay
import AssayInspection
import AssayInspectionTestSupport
import AssayTestSupport

/// The test cases, divided among tasks.
struct HostileWork: Sendable {
    /// Cut blobs of up to this length at every length.
    private static let small = 320
    /// Cut a longer blob at this many lengths, and each blob at different ones: hundreds of blobs differ in only a few
    /// bytes.
    private static let cuts = 64
    /// Cuts are at most one in this many cases, so that a short run has short work.
    private static let share = 2

    private let blobs: [VectorBlobs.Blob]
    private let steps: [Int]
    /// The blobs to change at random. Longer ones take more time and cover no more code.
    private let changeable: [VectorBlobs.Blob]
    private let changed: Int

    init(blobs: [VectorBlobs.Blob], cases: Int) {
        self.blobs = blobs
        // With a million cases, cut one blob of each file and every genuine one at every length; with fewer cases, at
        // every few.
        var files: Set<Substring> = []
        let all = blobs.map { blob in
            let isFirst = files.insert(blob.name.prefix { $0 != " " }).inserted
            let isWhole = blob.bytes.count <= Self.small || (isFirst && blob.bytes.count <= 8192)
            return isWhole ? 1 : max(1, blob.bytes.count / Self.cuts)
        }
        let demanded = zip(blobs, all).reduce(0) { $0 + $1.0.bytes.count / $1.1 }
        let thinning = max(1, (demanded * Self.share + cases - 1) / max(cases, 1))
        steps = all.map { $0 * thinning }
        changeable = blobs.filter { $0.bytes.count <= Self.small }
        let cut = zip(blobs, steps).reduce(0) { $0 + $1.0.bytes.count / $1.1 }
        changed = max(cases - cut + blobs.count, cases / 4)
    }

    /// Runs every case of one task's share.
    func run(_ task: Int, of tasks: Int) -> (Int, [String]) {
        var cases = 0
        var problems: [String] = []
        func check(_ bytes: [UInt8], _ what: @autoclosure () -> String) {
            cases += 1
            if let problem = LayerShape.problem(Verifier.inspector.inspect(bytes, name: "blob")), problems.count < 10 {
                problems.append("\(what()): \(problem)")
            }
        }
        for (index, (blob, step)) in zip(blobs, steps).enumerated() {
            // Each task takes every `tasks`-th length, and each blob starts at a different one.
            for length in stride(from: index % step + task * step, to: blob.bytes.count, by: tasks * step) {
                check(Array(blob.bytes[..<length]), "\(blob.name) cut at \(length)")
            }
        }
        for number in stride(from: task, to: changed, by: tasks) {
            var generator = SeededGenerator(seed: UInt64(number))
            let blob = changeable[Int.random(in: changeable.indices, using: &generator)]
            check(generator.mutated(blob.bytes), "\(blob.name) changed by \(number)")
        }
        return (cases, problems)
    }
}
