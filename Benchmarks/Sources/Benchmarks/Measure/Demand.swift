import Foundation

/// Stops the run when what is measured does not do what it should.
func require(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { stop(what()) }
}

/// Stops the run.
func stop(_ what: String) -> Never {
    print("unexpected: \(what)")
    exit(2)
}

/// Does something a number of times, each of which has to succeed.
func repeating(_ body: @escaping @Sendable () throws -> Void) -> @Sendable (Int) -> Void {
    { count in
        for _ in 0..<count {
            do { try body() } catch { stop("\(error)") }
        }
    }
}
