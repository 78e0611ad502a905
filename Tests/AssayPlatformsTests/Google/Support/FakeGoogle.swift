import AssayCore
import AssayHTTPTestSupport
import AssayPrimitives
import Foundation
import Synchronization

extension ScriptedServer.Request {
    /// The members of a body that is JSON, as text.
    var json: RecordObject? { try? JSONReader.readObject(body, limit: 1 << 20) }
}

/// A local server that behaves as documented for Google's token endpoint and API, unless a script differs.
final class FakeGoogle: Sendable {
    typealias Request = ScriptedServer.Request
    typealias Step = ScriptedServer.Step

    private struct State {
        var tokenSteps: [Step] = []
        var apiSteps: [Step] = []
        var tokenRequests: [Request] = []
        var apiRequests: [Request] = []
        var tokens: [String] = []
        var revoked: Set<String> = []
        var assertions: [String] = []
        var lifetime = 3600
        var payload = FakeGoogle.payload
    }

    private let state = Mutex(State())
    private let server: ScriptedServer

    /// A payload in Google's form.
    static let payload = """
        {"tokenPayloadExternal":{"requestDetails":{"requestPackageName":"com.example.shop","requestHash":"aGFzaA",\
        "timestampMillis":"1776794390000"},"appIntegrity":{"appRecognitionVerdict":"PLAY_RECOGNIZED",\
        "packageName":"com.example.shop","certificateSha256Digest":["pnpa8e8eCArtvmaf49bJE1f5iG5-XLSU6w1U9ZvI96g"],\
        "versionCode":"42"},"deviceIntegrity":{"deviceRecognitionVerdict":["MEETS_BASIC_INTEGRITY",\
        "MEETS_DEVICE_INTEGRITY","MEETS_STRONG_INTEGRITY"],"deviceAttributes":{"sdkVersion":34}},\
        "accountDetails":{"appLicensingVerdict":"LICENSED"}}}
        """
    /// The payload of a token that was decoded before.
    static let cleared = """
        {"tokenPayloadExternal":{"requestDetails":{"requestPackageName":"com.example.shop","requestHash":"aGFzaA",\
        "timestampMillis":"1776794390000"},"appIntegrity":{"appRecognitionVerdict":"UNEVALUATED"},\
        "deviceIntegrity":{},"accountDetails":{"appLicensingVerdict":"UNEVALUATED"}}}
        """

    init() async throws {
        server = try await ScriptedServer()
        server.respond { [weak self] request in self?.receive(request) ?? .close }
    }

    var url: String { server.url }
    var tokenURL: String { "\(url)/token" }

    func close() async throws { try await server.close() }

    func scriptTokens(_ steps: Step...) { state.withLock { $0.tokenSteps += steps } }
    func script(_ steps: [Step]) { state.withLock { $0.apiSteps += steps } }
    func script(_ steps: Step...) { script(steps) }
    func setLifetime(_ seconds: Int) { state.withLock { $0.lifetime = seconds } }
    func setPayload(_ payload: String) { state.withLock { $0.payload = payload } }
    func revokeTokens() { state.withLock { $0.revoked.formUnion($0.tokens) } }

    var tokenRequests: [Request] { state.withLock { $0.tokenRequests } }
    var apiRequests: [Request] { state.withLock { $0.apiRequests } }
    /// The issued access tokens.
    var tokens: [String] { state.withLock { $0.tokens } }
    /// The received assertions.
    var assertions: [String] { state.withLock { $0.assertions } }

    /// Records a request, and returns the reaction.
    func receive(_ request: Request) -> Step {
        let isToken = request.path == "/token"
        let step = state.withLock { state -> Step in
            if isToken {
                state.tokenRequests.append(request)
                return state.tokenSteps.isEmpty ? .serve : state.tokenSteps.removeFirst()
            }
            state.apiRequests.append(request)
            return state.apiSteps.isEmpty ? .serve : state.apiSteps.removeFirst()
        }
        return resolve(step, request, isToken: isToken)
    }

    private func resolve(_ step: Step, _ request: Request, isToken: Bool) -> Step {
        switch step {
        case .serve: return isToken ? serveToken(request) : serveAPI(request)
        case .slowly(let time, let later): return .slowly(time, resolve(later, request, isToken: isToken))
        case .held(let gate, let later): return .held(gate, resolve(later, request, isToken: isToken))
        case .echo(let code, let status):
            let sent = (request.fields["authorization"] ?? "") + " " + request.text
            let message = sent.replacing("\\", with: " ").replacing("\"", with: " ").replacing("&", with: " ")
                .replacing("=", with: " ")
            return .answer(
                code,
                isToken
                    ? #"{"error":"\#(status)","error_description":"you sent \#(message)"}"#
                    : FakeGoogle.error(code, status, "you sent \(message)"))
        default: return step
        }
    }

    private func serveToken(_ request: Request) -> Step {
        let form = Dictionary(
            request.text.split(separator: "&").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
                return (parts[0], parts.last?.removingPercentEncoding ?? "")
            }, uniquingKeysWith: { first, _ in first })
        guard form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer", let assertion = form["assertion"],
            request.fields["content-type"] == "application/x-www-form-urlencoded"
        else { return .answer(400, #"{"error":"unsupported_grant_type"}"#) }
        let key = try? RSAPrivateKey(pem: SecretBytes(TestAccount.privateKey.utf8)).publicKey
        let parts = assertion.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let key, let signature = try? Base64.decode(parts[2], .url),
            key.verifyPKCS1SHA256(signature, for: Array("\(parts[0]).\(parts[1])".utf8)[...])
        else { return .answer(400, #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#) }
        return state.withLock { state in
            let token = "ya29." + (0..<3).map { _ in UUID().uuidString }.joined(separator: "_")
            state.tokens.append(token)
            state.assertions.append(assertion)
            return .answer(
                200, #"{"access_token":"\#(token)","expires_in":\#(state.lifetime),"token_type":"Bearer"}"#)
        }
    }

    private func serveAPI(_ request: Request) -> Step {
        let isAuthorised = state.withLock { state in
            state.tokens.contains { !state.revoked.contains($0) && request.fields["authorization"] == "Bearer \($0)" }
        }
        guard isAuthorised else {
            return .answer(401, FakeGoogle.error(401, "UNAUTHENTICATED", "Request had invalid credentials."))
        }
        if request.path.hasSuffix("/deviceRecall:write") { return .answer(200, "{}") }
        return .answer(200, state.withLock { $0.payload })
    }

    /// An error in the form of Google's APIs.
    static func error(_ code: Int, _ status: String, _ message: String, details: String? = nil) -> String {
        let details = details.map { #","details":[\#($0)]"# } ?? ""
        return #"{"error":{"code":\#(code),"message":"\#(message)","status":"\#(status)"\#(details)}}"#
    }
}
