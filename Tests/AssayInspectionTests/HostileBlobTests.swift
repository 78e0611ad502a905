import Assay
import AssayInspection
import AssayTestSupport
import Foundation
import Testing

@Suite("Hostile blobs")
struct HostileBlobTests {
    /// How many changed blobs there are beside those that are cut.
    private static let changed = 400_000

    @Test("No blob of the vectors traps when cut at any length or changed at random; parts lie in their wholes")
    func million() async throws {
        let blobs = try VectorBlobs.all()
        #expect(blobs.count > 500)
        let work = HostileWork(blobs: blobs, changed: Self.changed)
        let clock = ContinuousClock()
        let start = clock.now
        let (cases, problems) = await withTaskGroup(of: (Int, [String]).self) { group in
            let tasks = ProcessInfo.processInfo.activeProcessorCount
            for number in 0..<tasks { group.addTask { work.run(number, of: tasks) } }
            return await group.reduce((0, [String]())) { ($0.0 + $1.0, $0.1 + $1.1) }
        }
        print("\(cases) hostile blobs out of \(blobs.count) in \(clock.now - start)")
        #expect(problems.isEmpty, "\(problems.prefix(3))")
        #expect(cases >= 1_000_000)
    }
}

/// The cases, shared out among tasks.
private struct HostileWork: Sendable {
    let blobs: [VectorBlobs.Blob]
    let changed: Int

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
        for (index, blob) in blobs.enumerated() {
            for length in stride(from: task, to: blob.bytes.count, by: tasks * step(blob, index)) {
                check(Array(blob.bytes[..<length]), "\(blob.name) cut at \(length)")
            }
        }
        // Longer ones cost more, and have no more to say.
        let small = blobs.filter { $0.bytes.count <= 1024 }
        for number in stride(from: task, to: changed, by: tasks) {
            var generator = SeededGenerator(seed: UInt64(number))
            let blob = small[Int.random(in: small.indices, using: &generator)]
            var bytes = blob.bytes
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: .min ... .max, using: &generator)
            }
            check(bytes, "\(blob.name) changed by \(number)")
        }
        return (cases, problems)
    }

    private func step(_ blob: VectorBlobs.Blob, _ index: Int) -> Int { 1 }
}
