import AssayCore
import AssayPlatforms
import AssayPrimitives
import AssayTestSupport
import Foundation
import Synchronization

/// A service account with a key generated for this test run.
enum TestAccount {
    static let email = "assay@test-project.iam.gserviceaccount.com"
    static let keyID = "0123456789abcdef0123456789abcdef01234567"

    /// The private key, PKCS#8 in PEM.
    static let privateKey: String = {
        do {
            return try openssl(["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"])
        } catch {
            return "openssl failed: \(error)"
        }
    }()

    /// A key file in Google's form.
    static func file(tokenURL: String, changing changes: [String: Any?] = [:]) throws -> SecretBytes {
        var members: [String: Any] = [
            "type": "service_account", "project_id": "test-project", "private_key_id": keyID,
            "private_key": privateKey, "client_email": email, "client_id": "123456789012345678901",
            "auth_uri": "https://accounts.google.com/o/oauth2/auth", "token_uri": tokenURL,
            "universe_domain": "googleapis.com",
        ]
        for (name, value) in changes { members[name] = value }
        return SecretBytes(try JSONSerialization.data(withJSONObject: members))
    }

    /// Runs the `openssl` tool.
    static func openssl(_ arguments: [String], input: String = "") throws -> String {
        try ProgramRun("openssl", arguments, input: input).output
    }
}
