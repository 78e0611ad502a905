public import AssayCore

/// A stretch of bytes that was inspected, with what was found in it: the blob itself, or one that was decoded out of it.
public struct InspectionLayer: Sendable {
    /// Another format that the bytes may be of.
    public struct Alternative: Sendable, Equatable {
        /// Its name.
        public let format: String
        /// Why it fits as well.
        public let recognition: Recognition
    }

    /// Where it was: the name of the file, or that of the `NestedBlob`.
    public let name: String
    /// How its bytes came out of the layer around it, and nil for the outermost.
    public let encoding: String?
    /// What it is, and nil when nothing recognised it.
    public let format: String?
    /// Why it is taken for that, and nil when nothing recognised it or the layer around it says what it is.
    public let recognition: Recognition?
    /// What it may be as well, as surely.
    public let alternatives: [Alternative]
    /// The bytes to which the ranges of annotations refer.
    public let bytes: [UInt8]
    /// What was found.
    public var annotations: [Annotation]
    /// The bytes that are a secret, such as those of a private key, or that hold a layer with one: not to be printed.
    public let secrets: [Range<Int>]
    /// What strict decoding has against it first, with the byte of this layer.
    public let violation: DecodeError?
    /// What cannot be known from the bytes alone.
    public let unknown: [String]
    /// The layers inside, in the order in which they stand.
    public let nested: [InspectionLayer]

    /// Describes a layer.
    public init(
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
