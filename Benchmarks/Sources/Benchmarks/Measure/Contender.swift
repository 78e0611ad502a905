/// Something that does one operation many times and says how long that took.
struct Contender: Sendable {
    let name: String
    /// Does a number of operations and returns the seconds of processor time that they took.
    let time: @Sendable (Int) async throws -> Double

    /// Work on the calling thread.
    static func thread(_ name: String, _ work: @escaping @Sendable (Int) -> Void) -> Contender {
        Contender(name: name) { count in Stopwatch.thread { work(count) } }
    }

    /// Work that may go from thread to thread. Nothing else may run in the process at the same time.
    static func process(_ name: String, _ work: @escaping @Sendable (Int) async throws -> Void) -> Contender {
        Contender(name: name) { count in try await Stopwatch.process { try await work(count) } }
    }

    /// How many operations fill a turn. Warms up on the way.
    func count(fillingTurn turn: Double) async throws -> Int {
        var count = 1
        while true {
            let time = try await time(count)
            if time >= turn / 4 { return max(1, Int(Double(count) * turn / time)) }
            count *= 2
        }
    }
}

/// A contender that ours is held against.
struct Opponent: Sendable {
    let contender: Contender
    let target: Target
    var leavesOut = ""

    /// A bare operation, of whose rate ours has to reach a share.
    static func bare(_ contender: Contender, target: Target) -> Opponent {
        Opponent(contender: contender, target: target)
    }

    /// A peer that does the same job, and has to be slower.
    static func peer(_ contender: Contender, target: Target = .faster, leavesOut: String) -> Opponent {
        Opponent(contender: contender, target: target, leavesOut: leavesOut)
    }
}
