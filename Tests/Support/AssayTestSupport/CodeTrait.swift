package import Testing

/// Marks a test that produces codes which no vector has. `CheckCodeTests` reads the marks in the sources of the tests.
package struct CodeTrait: TestTrait {
    package let comments: [Comment]

    fileprivate init(_ words: [String]) { comments = ["produces \(words.joined(separator: " "))"] }
}

extension Trait where Self == CodeTrait {
    /// The test produces codes of a check.
    package static func produces(_ check: String, _ codes: String...) -> Self { CodeTrait([check] + codes) }

    /// The test produces codes that checks share as a family.
    package static func producesOfFamily(_ codes: String...) -> Self { CodeTrait(codes) }
}
