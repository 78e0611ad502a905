import AssayCore

/// The text that an app sent in place of a token.
enum TokenSubstitute {
    case statusWord(ApproovStatusWord)
    /// `{"error": "..."}`: the SDK's loggable text if there is no token. Nil for a word that Assay does not know.
    case error(DecodeError, ApproovStatusWord?)
    case loggable(LoggableToken)

    /// The codes of ``failure``.
    static let codes: [CheckCode] = [.statusWord, .errorText, .loggableText]

    /// Recognises a substitute for a token; nil for a text that may be a token.
    init?(_ token: ArraySlice<UInt8>) {
        // The first byte distinguishes a token from JSON, and its length from a word.
        if token.first == UInt8(ascii: "{") {
            guard token.count <= InputLimits.joseText else { return nil }
            do throws(DecodeError) {
                self = .loggable(try LoggableToken(String(decoding: token, as: UTF8.self)))
            } catch {
                guard error.field == "error" else { return nil }
                self = .error(error, LoggableToken.errorWord(of: token))
            }
        } else {
            guard token.count <= 32, let word = ApproovStatusWord(bytes: token) else { return nil }
            self = .statusWord(word)
        }
    }

    /// Why it is not a token.
    var failure: CheckFailure {
        switch self {
        case .statusWord(let word):
            CheckFailure(
                Finding(
                    .statusWord, remedy: word.remedy,
                    "the status word \(word.rawValue) in place of a token: \(word.meaning)"))
        case .error(let error, let word):
            CheckFailure(
                Finding(.errorText, remedy: word?.remedy, "loggable text in place of a token: \(error.message)"))
        case .loggable:
            CheckFailure(
                .loggableText,
                "a loggable token in place of a token: the app sends what is meant for its log; send the token itself")
        }
    }

    /// The claims of a loggable token, which any client can write.
    var claimed: ApproovSubject.Claimed? {
        guard case .loggable(let loggable) = self else { return nil }
        return ApproovSubject.Claimed(.loggable(loggable))
    }
}

extension CheckCode {
    fileprivate static let statusWord = CheckCode(
        "status-word",
        """
        The app sent a status word because it got no token; the detail says what the word means, and the remedy of a verdict is that \
        of its word. `statusWords` in the policy can let a word pass.
        """, remedy: .retry)
    fileprivate static let errorText = CheckCode(
        "loggable-error",
        """
        The app sent the SDK's loggable text, which says why there was no token; the remedy of a verdict is that of its word.
        """, remedy: .retry)
    fileprivate static let loggableText = CheckCode(
        "loggable-text", "The app sent the loggable form of its token, which is meant for logs, in place of the token.")
}
