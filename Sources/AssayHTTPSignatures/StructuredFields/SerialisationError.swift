/// A value that a field cannot carry.
package struct SerialisationError: Error, Equatable, CustomStringConvertible {
    /// What cannot be written, and what is allowed.
    package let description: String

    /// Describes what cannot be written.
    package init(_ description: String) { self.description = description }
}
