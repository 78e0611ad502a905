public import FoundationEssentials

/// An answer of Google's decode calls to mint. Initially that for a genuine token; change any part before minting.
public struct StandardAnswerBlueprint: Sendable {
    /// The payload.
    public var payload: PlayIntegrityPayloadBlueprint
    /// A last change to the whole answer.
    package var changeAnswer: @Sendable (inout JSONItem) -> Void = { _ in }

    private let packageName: String
    private let requestHash: String
    private let issuedAt: Date

    /// Creates the answer to a genuine token of an Android app.
    ///
    /// - Parameters:
    ///   - requestHash: The text that the app passed.
    ///   - certificateDigests: SHA-256 digests of the app's signing certificates, 32 bytes each.
    ///   - issuedAt: The time of the request, in whole milliseconds.
    public init(
        packageName: String, requestHash: String, certificateDigests: [[UInt8]], versionCode: Int64 = 42,
        issuedAt: Date
    ) {
        self.init(
            PlayIntegrityPayloadBlueprint(
                standard: requestHash, packageName: packageName, certificateDigests: certificateDigests,
                versionCode: versionCode, issuedAt: issuedAt),
            packageName, requestHash, issuedAt)
    }

    /// Creates the answer to a genuine token of a game of Google Play Games on PC.
    public init(pcPackageName packageName: String, requestHash: String, issuedAt: Date) {
        self.init(
            PlayIntegrityPayloadBlueprint(pc: requestHash, packageName: packageName, issuedAt: issuedAt),
            packageName, requestHash, issuedAt)
    }

    private init(
        _ payload: PlayIntegrityPayloadBlueprint, _ packageName: String, _ requestHash: String, _ issuedAt: Date
    ) {
        (self.payload, self.packageName) = (payload, packageName)
        (self.requestHash, self.issuedAt) = (requestHash, issuedAt)
    }

    /// An error answer of Google's servers. `code` is the HTTP status, `status` its name such as `INVALID_ARGUMENT`.
    package static func error(code: Int, message: String, status: String) -> JSONItem {
        ["error": ["code": .integer(code), "message": .text(message), "status": .text(status)]]
    }

    /// Mints the answer.
    public func mint() -> MintedStandardAnswer {
        var answer: JSONItem = ["tokenPayloadExternal": payload.json]
        changeAnswer(&answer)
        return MintedStandardAnswer(
            answer: answer, packageName: packageName, requestHash: requestHash, mintedAt: issuedAt)
    }
}
