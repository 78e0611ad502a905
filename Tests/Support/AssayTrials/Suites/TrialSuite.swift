import AssayTestSupport
import Foundation

/// A suite of cases, what of Assay it exercises, and how it is run.
package struct TrialSuite: Sendable, CustomStringConvertible {
    /// The name in the table.
    package let name: String
    /// The file below the folder of shared files, and nil for vectors.
    package let file: String?
    /// Where the cases are from.
    package let origin: SuiteOrigin
    /// What of Assay the cases are handed to.
    package let exercises: String
    private let body: @Sendable () async throws -> SuiteReport

    /// A third-party suite, whose origin stands in its file.
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

/// Something that a suite's file should have and has not.
struct SuiteFileError: Error, CustomStringConvertible {
    let description: String
}

/// A value that a suite's file must have.
func need<Value>(_ value: Value?, _ line: Int = #line, _ file: String = #fileID) throws -> Value {
    guard let value else { throw SuiteFileError(description: "a suite's file is not as \(file):\(line) expects") }
    return value
}
