package import AssayCore

/// Inspected bytes and the result: the blob itself, or a blob decoded from it.
package struct InspectionLayer: Sendable {
    /// Another format that also fits the bytes.
    package struct Alternative: Sendable, Equatable {
        /// Its name.
        package let format: String
        /// The reason why it fits.
        package let recognition: Recognition
    }

    /// The name of the file, or of the `NestedBlob`.
    package let name: String
    /// How the outer layer encodes it; nil for the outermost layer, unless its file is compressed.
    package let encoding: String?
    /// The name of the format; nil if none was recognised.
    package let format: String?
    /// The reason for the format; nil if none was recognised, or if the outer layer determines it.
    package let recognition: Recognition?
    /// Other formats that were recognised with the same certainty.
    package let alternatives: [Alternative]
    /// The bytes to which the ranges of annotations refer.
    package let bytes: [UInt8]
    /// The annotated parts.
    package var annotations: [Annotation]
    /// The ranges of secrets, such as private keys, and of inner layers with secrets. They must not be printed.
    package let secrets: [Range<Int>]
    /// The first error of strict decoding, with its offset in this layer.
    package let violation: DecodeError?
    /// The facts that the bytes alone do not determine.
    package let unknown: [String]
    package let nested: [InspectionLayer]
}
