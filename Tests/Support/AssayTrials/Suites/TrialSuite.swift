import AssayTestSupport
import Foundation

/// A suite of test cases and the part of Assay that it tests.
package struct TrialSuite: Sendable, CustomStringConvertible {
    /// The name in the table.
    package let name: String
    /// The path in the folder of shared files; nil for vectors.
    package let file: String?
    /// The origin of the cases.
    package let origin: SuiteOrigin
    /// The part of Assay that the cases test.
    package let exercises: String
    private let body: @Sendable () async throws -> SuiteReport

    /// A third-party suite. Its file states its origin.
    init(
        _ name: String, file: String, part: Int? = nil, exercises: String,
        run body: @escaping @Sendable () async throws -> SuiteReport
    ) {
        self.init(
            name, file: file, origin: SuiteOrigin(file: file, part: part), exercises: exercises, run: body)
    }

    init(
        _ name: String, file: String?, origin: SuiteOrigin, exercises: String,
        run body: @escaping @Sendable () async throws -> SuiteReport
    ) {
        self.name = name
        self.file = file
        self.origin = origin
        self.exercises = exercises
        self.body = body
    }

    /// The name.
    package var description: String { name }

    /// Runs every case.
    package func run() async throws -> SuiteReport { try await body() }

    /// Every suite, in the order of the table.
    package static var all: [TrialSuite] {
        signatures + ciphers + jose + encodings + certificates + messages + attestations + vectors
    }
}

/// A value is missing from a suite's file.
struct SuiteFileError: Error, CustomStringConvertible {
    let description: String
}

/// Unwraps a value that a suite's file must have.
func need<Value>(_ value: Value?, _ line: Int = #line, _ file: String = #fileID) throws -> Value {
    guard let value else { throw SuiteFileError(description: "a suite's file is not as \(file):\(line) expects") }
    return value
}
