/// One thing that a service does for each request or document, to be done a number of times in a row.
struct HotPath {
    /// One round of the operation: does it `count` times.
    typealias Work = (_ count: Int) async throws -> Void

    /// The name in the table.
    let name: String
    /// How often it is done in one round: enough that what is not of every round does not show.
    let count: Int
    /// Makes the evidence, always the same, and hands out the work. Called once.
    ///
    /// - Parameter total: how often the operation will be done in all rounds together, for what can be done only once
    ///   with one piece of evidence.
    let prepare: (_ total: Int) throws -> Work

    init(_ name: String, count: Int, prepare: @escaping (_ total: Int) throws -> Work) {
        self.name = name
        self.count = count
        self.prepare = prepare
    }

    /// An operation that can be done again with the same evidence.
    init<Subject>(
        _ name: String, count: Int, _ subject: @escaping () throws -> Subject,
        _ body: @escaping (Subject) throws -> Void
    ) {
        self.init(name, count: count) { _ in
            let subject = try subject()
            return { count in
                for _ in 0..<count { try body(subject) }
            }
        }
    }
}

/// What is measured did not do what it should.
struct Unexpected: Error, CustomStringConvertible {
    let description: String
}

/// Throws when what is measured does not do what it should.
@inline(__always)
func require(_ holds: Bool, _ what: @autoclosure () -> String) throws(Unexpected) {
    if !holds { throw Unexpected(description: what()) }
}
