import AssayTesting
import Foundation
import JWTKit

/// jwt-kit's verification of the tokens of a subject, with its collection of keys filled beforehand.
struct JWTKitPeer {
    /// The claims of Approov's tokens, of which the time of expiry is checked.
    private struct Claims: JWTPayload {
        let did: String
        let exp: ExpirationClaim
        let ip: String
        let arc: String

        func verify(using algorithm: some JWTAlgorithm) async throws { try exp.verifyNotExpired() }
    }

    private let keys: JWTKeyCollection
    private let tokens: [String]

    /// - Parameter subject: tokens with HS256 or ES256.
    init(_ subject: ApproovTokenSubject) async throws {
        keys = JWTKeyCollection()
        tokens = subject.tokens
        switch subject.form {
        case .signedES256: await keys.add(ecdsa: try ES256PublicKey(pem: subject.testKeys.signingKeyFile))
        default: await keys.add(hmac: HMACKey(from: subject.testKeys.secret), digestAlgorithm: .sha256)
        }
    }

    /// The verification of one token after the other.
    var contender: Contender {
        .process("jwt-kit") { count in
            for index in 0..<count {
                let claims = try await keys.verify(tokens[index % tokens.count], as: Claims.self)
                require(!claims.did.isEmpty, "jwt-kit")
            }
        }
    }

    /// Whether it accepts a token.
    func accepts(_ token: String) async -> Bool {
        do {
            _ = try await keys.verify(token, as: Claims.self)
            return true
        } catch {
            return false
        }
    }
}
