/// A value that is not allowed in a field.
package struct SerialisationError: Error, Equatable, CustomStringConvertible {
    /// The invalid value, and the allowed ones.
    package let description: String

    package init(_ description: String) { self.description = description }
}
