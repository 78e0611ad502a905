import Approov
import Assay
import AssayCore
import AssayInspection
import AssayLedgerSQLite
import AssayPlatforms
import AssayPrimitives
import PlayIntegrity
import Testing

/// Secrets are compared by `ConstantTime` alone.
@Suite("Comparisons of secrets")
struct ComparisonTests {
    @Test("Types with secrets are neither Equatable nor Hashable")
    func notEquatable() {
        let types: [Any.Type] = [
            SecretBytes.self, MasterKey.self, RSAPrivateKey.self, HMACSHA256Key.self, JWEKey.self, JWSKey.self,
            ApproovKey.self, ApproovMessageKey.self, PlayIntegrityKeys.self, PlayConsoleDownload.self,
            ApproovToolOutput.self, ApproovClaims.Measurements.self, CapturePrivateKey.self, ServiceAccount.self,
            NamedKey.self, SealedKeyStore.self, WithheldText.self,
        ]
        for type in types { #expect(!(type is any Equatable.Type), "\(type)") }
        let equatable: Any.Type = KeyError.self
        #expect(equatable is any Equatable.Type, "the test can tell")
    }

    @Test("Secrets are equal when all of their bytes are, and differ by any one of them and by their lengths")
    func equality() {
        let bytes = [UInt8](0..<64)
        let secret = SecretBytes(bytes)
        #expect(ConstantTime.equals(secret, SecretBytes(bytes)))
        for index in bytes.indices {
            for bit in 0..<8 {
                var other = bytes
                other[index] ^= 1 << UInt8(bit)
                #expect(!ConstantTime.equals(secret, SecretBytes(other)))
            }
        }
        #expect(!ConstantTime.equals(secret, SecretBytes(bytes.dropLast())))
        #expect(!ConstantTime.equals(secret, SecretBytes([])))
        #expect(ConstantTime.equals(SecretBytes([]), SecretBytes([])))
    }
}
