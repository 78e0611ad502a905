/// The formats that do not belong to a platform.
enum GeneralFormats {
    /// All general formats. If two fit equally well, the more specific one comes first.
    static let all: [any BlobFormat.Type] = [
        RecordFormat.self,
        HTTPDumpFormat.self,
        PEMFormat.self,
        JWSFormat.self,
        JWEFormat.self,
        JWTClaims.self,
        PrivateKeyFormat.self,
        CMSFormat.self,
        CertificateFormat.self,
        PublicKeyFormat.self,
        CBORFormat.self,
        DERFormat.self,
        JSONFormat.self,
        HexDumpFormat.self,
        Base64Format.self,
    ]
}

extension Base64Format: EncodingFormat {}
extension HexDumpFormat: EncodingFormat {}
