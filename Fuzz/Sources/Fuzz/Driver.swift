import CComparisons
import CLibFuzzer
import Foundation
import FuzzTargets

/// libFuzzer's driver. It calls back with one input after another, on one thread.
enum Driver {
    /// The target of this process: libFuzzer's callback takes no context.
    nonisolated(unsafe) private static var current: FuzzTarget?

    static func run(_ target: FuzzTarget, options: [String]) -> CInt {
        current = target
        tellComparisons(target.learnsFromComparisons)
        var values: [UnsafeMutablePointer<CChar>?] =
            ([CommandLine.arguments[0], "-max_len=\(target.maximumLength)"] + options).map { strdup($0) } + [nil]
        var count = CInt(values.count - 1)
        return values.withUnsafeMutableBufferPointer { buffer in
            var start = buffer.baseAddress
            return LLVMFuzzerRunDriver(&count, &start) { start, count in
                _ = Driver.current?.run(Array(UnsafeBufferPointer(start: start, count: count)))
                return 0
            }
        }
    }
}
