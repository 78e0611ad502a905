import AssayPrimitives

/// A document that verdicts rest on, such as a list of revoked certificates. Captures keep it, so that analyses can judge by it again.
package protocol ConsultedDocument: Sendable {
    /// The name of the folder in which captures keep these documents, such as `status-lists`.
    static var folder: String { get }
    /// The most bytes of a document.
    static var limit: Int { get }

    /// SHA-256 of ``bytes``.
    var digest: [UInt8] { get }
    var bytes: [UInt8] { get }

    init(bytes: [UInt8]) throws(DecodeError)
}

/// Documents that were kept, for analyses of captured evidence: a service of the verifier.
package protocol DocumentArchive: EngineService {
    /// Where the archive searches for documents of a type, for messages.
    func place<Document: ConsultedDocument>(of type: Document.Type) -> String

    /// The document with a digest; nil if the archive lacks it.
    func document<Document: ConsultedDocument>(_ type: Document.Type, digest: [UInt8]) -> Document?
}
