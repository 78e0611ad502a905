package import AssayPrimitives

extension DecodeError: CheckFinding {}
extension JOSEError: CheckFinding {}
extension CMSFailure: CheckFinding {}

/// The codes of errors of decoders and keys.
extension CheckCode {
    /// Declares the code of an error, with a remedy if it differs from that of the check.
    package init(_ code: ErrorCode, remedy: Remedy? = nil) { self.init(code.name, code.meaning, remedy: remedy) }

    package static let algorithmNotAllowed = CheckCode(.algorithmNotAllowed)
    package static let signatureInvalid = CheckCode(.signatureInvalid)
    package static let missingKeyID = CheckCode(.missingKeyID)
    package static let unknownKeyID = CheckCode(.unknownKeyID)

    /// The codes of ``DecodeError``, for the entries of checks that decode.
    package static let ofDecoding = ErrorCode.ofDecoding.map { CheckCode($0) }
    /// The codes for a rejected JWS.
    package static let ofSignature = ErrorCode.ofSignature.map { CheckCode($0) }
    /// The codes for a rejected JWE.
    package static let ofDecryption = ErrorCode.ofDecryption.map { CheckCode($0) }
}
