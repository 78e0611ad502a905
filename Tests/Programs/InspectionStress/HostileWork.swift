import Assay
import AssayInspection
import AssayTestSupport

/// The cases, shared out among tasks.
struct HostileWork: Sendable {
    /// Blobs of this length at most are cut at every length.
    private static let small = 320
    /// At how many lengths a longer one is cut, each at others: there are hundreds that differ in a few bytes.
    private static let cuts = 64
    /// Cuts are this share of the cases at most, so that few cases are few.
    private static let share = 2

    private let blobs: [VectorBlobs.Blob]
    private let steps: [Int]
    /// The blobs that are changed at random: longer ones cost more, and have no more to say.
    private let changeable: [VectorBlobs.Blob]
    private let changed: Int

    init(blobs: [VectorBlobs.Blob], cases: Int) {
        self.blobs = blobs
        // With a million cases one of each file, and every genuine one, is cut at every length; with fewer at every few.
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
            // Tasks take turns, and each blob begins elsewhere.
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
