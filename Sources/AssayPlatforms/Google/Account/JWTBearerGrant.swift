import AssayCore
import FoundationEssentials

/// Requests access tokens with the JWT bearer grant (RFC 7523 section 2.1; Google: "Using OAuth 2.0 for Server to
/// Server Applications").
struct JWTBearerGrant: Sendable {
    private static let scope = "https://www.googleapis.com/auth/playintegrity"
    private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    /// The lifetime of an assertion in seconds: Google's maximum, which tolerates a slow clock.
    private static let lifetime = 3600

    let account: ServiceAccount
    let exchange: HTTPExchange
    let rule: RetryRule
    let attemptTime: Duration

    /// Requests a new access token; `deadline` is in ``ClientTime/uptime``.
    func token(serial: Int, until deadline: Duration) async -> Result<AccessToken, CallFailure> {
        do throws(CallFailure) {
            return .success(
                try await rule.run(until: deadline) { left in
                    await attempt(serial: serial, within: min(left, attemptTime))
                })
        } catch {
            return .failure(error)
        }
    }

    private func attempt(serial: Int, within time: Duration) async -> AttemptResult<AccessToken> {
        do throws(HTTPFailure) {
            // Each attempt needs a new assertion with a current time.
            guard let assertion = assertion() else {
                return .stop(
                    CallFailure(.client, .notAuthorised, "the key of \(account.email.excerpt) cannot sign"))
            }
            let form = "grant_type=\(JWTBearerGrant.formEncoded(JWTBearerGrant.grantType))&assertion=\(assertion)"
            let answer = try await exchange.post(
                account.tokenURL.text, fields: [("Content-Type", "application/x-www-form-urlencoded")],
                body: Array(form.utf8), within: time)
            return read(answer, serial: serial)
        } catch {
            return CallFailure.of(error, server: server)
        }
    }

    private var server: String { "the token endpoint \(account.tokenURL.host)" }

    /// Signs an assertion with the claims of RFC 7523 section 3; nil if the library fails.
    private func assertion() -> String? {
        let issued = Int(rule.time.now().timeIntervalSince1970)
        return SignedClaims.text(
            header: [("alg", .text("RS256")), ("kid", .text(account.keyID)), ("typ", .text("JWT"))],
            claims: [
                ("aud", .text(account.tokenURL.text)), ("exp", .number("\(issued + JWTBearerGrant.lifetime)")),
                ("iat", .number("\(issued)")), ("iss", .text(account.email)), ("scope", .text(JWTBearerGrant.scope)),
            ], signedBy: { try? account.key.sign($0) })
    }

    private static func formEncoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { result, byte in
            result +=
                byte.isASCIIAlphanumeric || "-._".utf8.contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + [byte].hexadecimal.uppercased()
        }
    }

    private func read(_ answer: HTTPAnswer, serial: Int) -> AttemptResult<AccessToken> {
        let retryAfter = answer.retryAfter(at: rule.time.now())
        switch answer.status {
        case 200:
            do throws(AccessToken.Unusable) {
                return .done(try AccessToken(answer: answer.body, received: rule.time.uptime(), serial: serial))
            } catch {
                return .stop(
                    CallFailure(.servers, .unexpectedAnswer, "\(server): \(answer.summary), but \(error.reason)"))
            }
        case 400, 401, 403:
            guard let refusal = GrantRefusal(answer.body) else { break }
            return .stop(
                CallFailure(
                    .client, .notAuthorised,
                    "\(server) refuses \(account.email.excerpt) (\(refusal)); look whether the account and its key "
                        + "\(account.keyID.excerpt) still exist and are enabled, and whether this machine's clock is right"
                ))
        case 429:
            return .again(CallFailure(.client, .quota, "\(server): \(answer.summary)"), after: retryAfter)
        case 500...599:
            return .again(CallFailure(.servers, .serverError, "\(server): \(answer.summary)"), after: retryAfter)
        default: break
        }
        return .stop(
            CallFailure(
                .servers, .unexpectedAnswer,
                "\(server): \(answer.summary), which is no answer of a token endpoint; look at token_uri and at proxies"
            ))
    }
}

/// An error of a token endpoint (RFC 6749 section 5.2): `{"error": "invalid_grant", "error_description": "..."}`.
private struct GrantRefusal: CustomStringConvertible {
    /// The endpoint's error text, escaped.
    let description: String

    /// Parses the body of an error; nil if it has another form.
    init?(_ body: [UInt8]) {
        guard let object = try? JSONReader.readObject(body, limit: 64 * 1024),
            case .text(let code) = object["error"]?.content
        else { return nil }
        if case .text(let sentence) = object["error_description"]?.content {
            description = "\(ServerText.quote(code)): \(ServerText.quote(sentence))"
        } else {
            description = ServerText.quote(code)
        }
    }
}
