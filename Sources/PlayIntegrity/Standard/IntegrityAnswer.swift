package import AssayCore

/// Google's answer to a decode call: the payload or an error.
public struct IntegrityAnswer: Sendable {
    /// The origin of the answer.
    enum Origin {
        /// The caller. Assay cannot confirm that Google made the answer.
        case supplied
        /// A service that asked Google in this process.
        case decoder
    }

    private enum Form {
        case json([UInt8])
        case object(RecordObject)
        case none(DecodeError)
    }

    private let form: Form
    let origin: Origin
    /// Who stands for the answer.
    var voucher: EvidenceVoucher { origin == .decoder ? .platform : .caller }
    /// The token that the answer is for; nil if it is not known.
    let token: String?

    /// What this process received from Google; nil for an answer that came with the evidence.
    var received: [UInt8]? {
        guard origin == .decoder, case .json(let bytes) = form else { return nil }
        return bytes
    }

    /// Wraps the body of an answer that the caller received from Google.
    ///
    /// The caller vouches for it. An app with `answers: google` in its policy refuses it. So does a verifier with an
    /// ``IntegrityTokenDecoder``, unless the policy says `answers: caller`.
    /// - Parameter json: the body as received, UTF-8.
    public init(json: some Sequence<UInt8>) {
        form = .json(Array(json))
        origin = .supplied
        token = nil
    }

    /// Wraps the body of an answer that a decoder received for a token.
    fileprivate init(decoderBody: [UInt8], on token: String) {
        form = .json(decoderBody)
        origin = .decoder
        self.token = token
    }

    /// Creates the answer for a token that must not be sent to Google; nil for a token that can be sent.
    init?(ofUnsendable token: String) {
        do {
            try IntegrityTokenText.check(token)
            return nil
        } catch {
            form = .none(error)
            origin = .decoder
            self.token = nil
        }
    }

    /// Creates an answer from a record, whose parser is as strict as that of a body.
    package init(_ object: RecordObject) {
        form = .object(object)
        origin = .supplied
        token = nil
    }

    /// The payload's object in the answer. For Google's refusal the failure is `google-refused`, with Google's status and message.
    func payload() throws(CheckFailure) -> RecordObject {
        do throws(DecodeError) {
            let object = try object()
            let payload = object["tokenPayloadExternal"].flatMap { $0.isNull ? nil : $0 }
            if let error = object["error"], !error.isNull {
                guard payload == nil else {
                    throw DecodeError(
                        .unexpected, at: error.offset, field: "error",
                        "error and tokenPayloadExternal exclude each other")
                }
                throw Self.refusal(error)
            }
            guard let payload else {
                throw DecodeError(
                    .missing, at: object.offset, field: "tokenPayloadExternal",
                    "the answer has no payload; expected the whole answer of the decode call")
            }
            guard case .object(let value) = payload.content else {
                throw DecodeError(
                    .unexpectedType, at: payload.offset, field: "tokenPayloadExternal",
                    "expected an object, found \(payload.kindName)")
            }
            return value
        } catch {
            throw CheckFailure(error)
        }
    }

    func object() throws(DecodeError) -> RecordObject {
        switch form {
        case .json(let bytes): return try JSONReader.readObject(bytes, limit: InputLimits.integrityAnswer)
        case .object(let value): return value
        case .none(let error): throw error
        }
    }

    private static func refusal(_ error: RecordValue) -> DecodeError {
        guard case .object(let object) = error.content else {
            return DecodeError(
                .unexpectedType, at: error.offset, field: "error", "expected an object, found \(error.kindName)")
        }
        func text(_ name: String) -> String? {
            switch object[name]?.content {
            case .text(let text), .number(let text): ServerText.quote(text)
            default: nil
            }
        }
        let status = [text("code"), text("status")].compactMap { $0 }.joined(separator: " ")
        return DecodeError(
            .googleRefused, at: error.offset, field: "error",
            "Google did not decode the token\(status.isEmpty ? "" : " (\(status))"): \(text("message") ?? "no message")"
        )
    }
}

extension IntegrityTokenDecoder {
    /// Decodes a token, for a caller that keeps Google's answer, such as in a capture for replays.
    ///
    /// Judge the result as ``StandardIntegrityInput/Evidence/decoded(_:)``. The decoder vouches for it: it is accepted
    /// under `answers: google` as well, and the ledger remembers its token with it.
    /// - Parameters:
    ///   - token: the token as the app sent it. A token that is not in Google's form is not sent; the verdict on the
    ///     answer then rejects it.
    ///   - packageName: the package name of the app.
    ///   - form: selects the decode call.
    /// - Throws: ``IntegrityDecoderOutage`` as ``decode(token:packageName:form:)`` does.
    public func answer(
        on token: String, packageName: String, form: IntegrityTokenForm
    ) async throws(IntegrityDecoderOutage) -> IntegrityAnswer {
        if let answer = IntegrityAnswer(ofUnsendable: token) { return answer }
        return IntegrityAnswer(
            decoderBody: try await decode(token: token, packageName: packageName, form: form), on: token)
    }
}

extension ErrorCode {
    static let googleRefused = ErrorCode(
        "google-refused", "Google did not decode the token: the detail quotes its status and message.")
}

extension CheckCode {
    static let googleRefused = CheckCode(.googleRefused, remedy: .retry)
    static let answerSupplied = CheckCode(
        "answer-supplied",
        "The decoded answer came with the evidence, so that nothing shows that Google made it: send the token itself.")
    static let answerByCaller = CheckCode(
        "answer-by-caller",
        """
        The evidence brings an answer of its own, and the policy takes answers from Google alone: send the token, or set \
        `answers: caller` if your backend, which writes the evidence, has asked Google.
        """)
}
