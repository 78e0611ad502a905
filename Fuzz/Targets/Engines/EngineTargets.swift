import Assay
import Synchronization

extension FuzzTarget {
    /// Verifications, and readers of files.
    static let engines =
        EngineRegistry.standard.fuzzed.flatMap { $0.targets } + [
            records, corpus, policies, inspect, capturedRequest, sealedRecord, keyImport,
        ]

    /// A target whose inputs are programs of edits; see ``EditProgram``. Seeds leave the evidence valid enough to be
    /// sent.
    static func engine<Evidence>(
        _ name: String, dictionary: [String] = [], _ make: @escaping @Sendable () -> EngineFuzz<Evidence>
    ) -> FuzzTarget {
        let fuzz = Once(make)
        return FuzzTarget(
            name: name, maximumLength: 128, learnsFromComparisons: false, dictionary: dictionary,
            seeds: { EditProgram.seeds.filter { fuzz.value.run($0) } },
            run: { fuzz.value.run($0) })
    }
}

/// A value that is created at its first use: a process fuzzes only one target.
final class Once<Value: Sendable>: Sendable {
    private let made = Mutex<Value?>(nil)
    private let make: @Sendable () -> Value

    init(_ make: @escaping @Sendable () -> Value) {
        self.make = make
    }

    var value: Value {
        made.withLock { made in
            if let made { return made }
            let value = make()
            made = value
            return value
        }
    }
}

extension EditProgram {
    /// Programs that change each part of each variant, before and after closing.
    static var seeds: [[UInt8]] {
        var seeds: [[UInt8]] = []
        for variant in 0..<4 {
            seeds.append(encoded(variant: variant, isThorough: true))
            for part in 0..<12 {
                let low = UInt8(part % 8)
                seeds.append(
                    encoded(
                        variant: variant, isThorough: true,
                        Edit(part: part, operation: low, node: part * 7, place: 40)))
                seeds.append(
                    encoded(
                        variant: variant,
                        Edit(part: part, operation: 0x2F, node: part * 3, place: 9, Array("a:1".utf8)),
                        Edit(part: part + 1, operation: 0x0F, node: 20, place: 300)))
                seeds.append(
                    encoded(
                        variant: variant, isOfClosed: true,
                        Edit(part: part, operation: low << 4, node: 0, place: 77 * part, operand: [0x41]))
                )
            }
        }
        return seeds
    }
}
