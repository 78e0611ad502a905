package import AssayCore

/// A stretch of bytes that was inspected, with what was found in it: the blob itself, or one that was decoded out of it.
package struct InspectionLayer: Sendable {
    /// Another format that the bytes may be of.
    package struct Alternative: Sendable, Equatable {
        /// Its name.
        package let format: String
        /// Why it fits as well.
        package let recognition: Recognition
    }

    /// Where it was: the name of the file, or that of the `NestedBlob`.
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
    /// What was found.
    package var annotations: [Annotation]
    /// The bytes that are a secret, such as those of a private key, or that hold a layer with one: not to be printed.
    package let secrets: [Range<Int>]
    /// What strict decoding has against it first, with the byte of this layer.
    package let violation: DecodeError?
    /// What cannot be known from the bytes alone.
    package let unknown: [String]
    /// The layers inside, in the order in which they stand.
    package let nested: [InspectionLayer]

    /// Describes a layer.
    package init(
        name: String, encoding: String?, format: String?, recognition: Recognition?, alternatives: [Alternative],
        bytes: [UInt8], annotations: [Annotation], secrets: [Range<Int>] = [], violation: DecodeError?,
        unknown: [String],
        nested: [InspectionLayer]
    ) {
        self.name = name
        self.encoding = encoding
        self.format = format
        self.recognition = recognition
        self.alternatives = alternatives
        self.bytes = bytes
        self.annotations = annotations
        self.secrets = secrets
        self.violation = violation
        self.unknown = unknown
        self.nested = nested
    }
}
