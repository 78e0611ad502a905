/// Verifies a long stream and looks at the process's memory on the way. Runs first, so that the peak is that of this
/// stream and of nothing else.
struct MemorySection: Section {
    let name = "memory"
    let title = "Memory of a stream"
    let note = "The peak of the process's resident memory as a share of what it may take: less is better."

    func figures(_ pace: Pace) async throws -> [Figure] {
        let subject = try AppAttestSubject()
        let count = pace.count(1_000_000)
        var samples: [Double] = []
        for _ in 0..<10 {
            subject.assertions(count / 10)
            samples.append(ProcessMemory.mebibytes("VmRSS"))
        }
        return [
            .memory("\(count) assertions", peak: ProcessMemory.mebibytes("VmHWM"), limit: 64, samples: samples)
        ]
    }
}
