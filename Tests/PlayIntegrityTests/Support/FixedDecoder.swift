import AssayCore
import PlayIntegrity
import Synchronization

/// A decoder that returns one answer and records its requests.
final class FixedDecoder: IntegrityTokenDecoder {
    static let token = "bm90IGEgdG9rZW4"

    let answer: Result<String, IntegrityDecoderOutage>
    let asked = Mutex<[String]>([])

    init(_ answer: Result<String, IntegrityDecoderOutage>) { self.answer = answer }

    convenience init(_ payload: JSON) { self.init(.success(FixedDecoder.body(payload))) }

    func decode(
        token: String, packageName: String, form: IntegrityTokenForm
    ) async throws(IntegrityDecoderOutage) -> [UInt8] {
        asked.withLock { $0.append("\(token) \(packageName) \(form)") }
        return Array(try answer.get().utf8)
    }

    static func body(_ payload: JSON) -> String { "{\"tokenPayloadExternal\":\(payload.rendered)}" }

    static func input(_ token: String = token) -> StandardIntegrityInput {
        StandardIntegrityInput(
            packageName: Fixtures.packageName, requestHash: Fixtures.requestHash, evidence: .token(token))
    }
}
