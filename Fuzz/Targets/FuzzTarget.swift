/// One thing that is fuzzed: what it makes of any bytes, where it starts from, and what it must keep to.
public struct FuzzTarget: Sendable {
    /// The name on the command line: lower case, with hyphens.
    public let name: String
    /// The longest input in bytes. Short inputs run faster and reach as much.
    public let maximumLength: Int
    /// Whether it compares Assay with a Python package. `ASSAY_PEERS` then has the path of the Python, which
    /// `Scripts/install-peers` prints. Without it, the target cannot run.
    public let needsPeers: Bool
    /// Whether libFuzzer inserts numbers into inputs that the code compares. Useful if the input has the format that
    /// the code reads.
    public let learnsFromComparisons: Bool
    /// Initial inputs, minted in code, never captured. Each is accepted.
    public let seeds: @Sendable () throws -> [[UInt8]]
    /// Words of the format, for the fuzzer to insert.
    public let dictionary: [String]
    /// Judges one input, and returns whether it was accepted: decoded, verified, or judged by an engine.
    public let run: @Sendable (_ input: [UInt8]) -> Bool

    /// - Parameter run: judges one input, and returns whether it was accepted. It traps if a rule is broken: a wrong
    ///   acceptance, a disagreement with a second implementation, a value that changes when it is written and read.
    public init(
        name: String, maximumLength: Int, needsPeers: Bool = false, learnsFromComparisons: Bool = true,
        dictionary: [String],
        seeds: @escaping @Sendable () throws -> [[UInt8]],
        run: @escaping @Sendable (_ input: [UInt8]) -> Bool
    ) {
        self.name = name
        self.maximumLength = maximumLength
        self.needsPeers = needsPeers
        self.learnsFromComparisons = learnsFromComparisons
        self.dictionary = dictionary
        self.seeds = seeds
        self.run = run
    }

    /// Every target, in the order of the documentation.
    public static let all: [FuzzTarget] = decoders + differential + engines

    /// Ends the process with a message about the broken rule; libFuzzer keeps the input.
    static func broken(_ rule: @autoclosure () -> String) -> Never {
        fatalError("broken rule: \(rule())")
    }

    /// Ends the process unless a rule holds.
    static func require(_ holds: Bool, _ rule: @autoclosure () -> String) {
        if !holds { broken(rule()) }
    }
}
