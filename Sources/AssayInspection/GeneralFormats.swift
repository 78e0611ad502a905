/// The formats that belong to no platform.
enum GeneralFormats {
    /// All of them. Where two fit as surely, the one that says more stands first.
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
        Base64Format.self,
    ]
}

extension Base64Format: EncodingFormat {}
