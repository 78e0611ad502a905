package import AssayCore

/// A CMS or PKCS #7 message of type SignedData, in BER or DER.
package enum CMSFormat: BlobFormat {
    package static let name = "CMS SignedData message"

    package static func recognise(_ bytes: [UInt8]) -> Recognition? {
        guard bytes.first == 0x30, let (node, end) = LenientDER.readOne(bytes[...]),
            let shape = SignedDataShape(node, in: bytes)
        else { return nil }
        let beginning = "it begins with a ContentInfo of type SignedData (1.2.840.113549.1.7.2)"
        guard node.broken == nil, shape.signerInfos != nil else {
            return Recognition(.certain, because: beginning + ", and breaks off")
        }
        return Recognition(
            .certain,
            because: end == bytes.count
                ? "a ContentInfo of type SignedData (1.2.840.113549.1.7.2) fills all \(end) bytes" : beginning)
    }

    package static func annotate(_ bytes: [UInt8]) -> BlobContents {
        var contents = CMSAnnotator.annotate(bytes, at: bytes.indices)
        contents.unknown = [
            "Whether the signatures are those of the signers: `assay verify` says that of evidence that holds messages."
        ]
        return contents
    }

    package static func decodeStrictly(_ bytes: [UInt8]) throws(DecodeError) {
        _ = try SignedDataMessage(bytes[...])
    }
}

/// The fields of a ContentInfo with SignedData (RFC 5652 sections 3 and 5.1), as far as present.
struct SignedDataShape {
    let contentType: DERNode
    /// The `[0]` around the SignedData.
    let wrapper: DERNode
    let signedData: DERNode?
    private(set) var version: DERNode?
    private(set) var digestAlgorithms: DERNode?
    private(set) var encapsulated: DERNode?
    private(set) var certificates: DERNode?
    private(set) var revocationLists: DERNode?
    private(set) var signerInfos: DERNode?
    private(set) var others: [DERNode] = []

    /// Finds the fields; nil if the value is not a ContentInfo of type SignedData.
    init?(_ node: DERNode, in bytes: [UInt8]) {
        guard node.isUniversal(16), let type = node.children.first,
            ObjectIdentifierText.dotted(type, in: bytes) == "1.2.840.113549.1.7.2",
            let wrapper = node.children.dropFirst().first
        else { return nil }
        contentType = type
        self.wrapper = wrapper
        signedData = wrapper.children.first
        for child in signedData?.children ?? [] {
            switch (child.tagClass, child.tagNumber) {
            case (.universal, 2) where version == nil: version = child
            case (.universal, 17) where digestAlgorithms == nil: digestAlgorithms = child
            case (.universal, 16) where encapsulated == nil: encapsulated = child
            case (.contextSpecific, 0) where certificates == nil: certificates = child
            case (.contextSpecific, 1) where revocationLists == nil: revocationLists = child
            case (.universal, 17) where signerInfos == nil: signerInfos = child
            default: others.append(child)
            }
        }
    }

    /// The OCTET STRING with the content, in one piece or in chunks; nil if it is detached or missing.
    var octets: DERNode? { encapsulated?.children.dropFirst().first?.children.first }

    /// The content, joined from its chunks as far as present.
    func content(in bytes: [UInt8]) -> [UInt8]? {
        guard let octets, octets.isUniversal(4) else { return nil }
        var content: [UInt8] = []
        SignedDataShape.collect(octets, in: bytes, into: &content)
        return content
    }

    /// Recursion is limited to ``LenientDER/depth``.
    private static func collect(_ node: DERNode, in bytes: [UInt8], into content: inout [UInt8]) {
        guard node.isConstructed else {
            content += bytes[node.contents]
            return
        }
        for chunk in node.children { collect(chunk, in: bytes, into: &content) }
    }
}
