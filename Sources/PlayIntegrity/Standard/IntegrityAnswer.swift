package import AssayCore
import AssayPrimitives

/// Google's answer to a decode call: the payload or an error.
public struct IntegrityAnswer: Sendable {
    /// The origin of the answer.
    enum Origin {
        /// The caller. Assay cannot confirm that Google made the answer.
        case supplied
        /// The service that asked Google.
        case decoder
    }

    private enum Form {
        case json([UInt8])
        case object(RecordObject)
        case none(DecodeError)
    }

    private let form: Form
    let origin: Origin

    /// Creates an answer from the unchanged body, UTF-8, that the caller got from Google.
    public init(json: some Sequence<UInt8>) {
        form = .json(Array(json))
        origin = .supplied
    }

    /// Creates an answer from a decoder's result.
    init(decoderBody: [UInt8]) {
        form = .json(decoderBody)
        origin = .decoder
    }

    /// Creates the answer for a token that must not be sent to Google; nil for a token that can be sent.
    init?(ofUnsendable token: String) {
        do {
            try IntegrityTokenText.check(token)
            return nil
        } catch {
            form = .none(error)
            origin = .decoder
        }
    }

    /// Creates an answer from a record, which was parsed as strictly as a body.
    package init(_ object: RecordObject) {
        form = .object(object)
        origin = .supplied
    }

    /// The payload's object in the answer.
    ///
    /// - Throws: ``CheckFailure`` if the answer is not a JSON object with `tokenPayloadExternal`. For Google's refusal
    ///   the code is `google-refused`, with Google's status and message.
    func payload() throws(CheckFailure) -> RecordObject {
        do throws(DecodeError) {
            let object = try object()
            let payload = object["tokenPayloadExternal"]
            if let error = object["error"] {
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

    /// The answer as a JSON object.
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

extension CheckCode {
    static let googleRefused = CheckCode(
        "google-refused", "Google did not decode the token: the detail quotes its status and message.")
    static let answerSupplied = CheckCode(
        "answer-supplied",
        "The decoded answer came with the evidence, so that nothing shows that Google made it: send the token itself.")
}
