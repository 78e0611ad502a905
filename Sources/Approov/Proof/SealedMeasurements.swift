public import AssayCore
import FoundationEssentials

extension CheckID {
    /// A key of the hardware opens the measurement token.
    public static let approovProofSealed = CheckID("approov.proof.sealed")
}

extension ApproovCheck {
    static let sealedEntry = CheckDefinition(
        .approovProofSealed, .gate,
        proves: "A live key of the hardware opens the measurement token, which is whole and has not expired.",
        stops: "Measurements for other hardware, and measurement tokens that were changed or have expired.",
        lookAt: """
            Which public key the backend seals for; `assay keys list`. The token does not prove who sealed it: each holder \
            of the public key can.
            """,
        source: "Approov, Offline Security Mode, Decoding Measurement; RFC 7516; RFC 7518 section 4.6",
        remedy: .retry,
        codes: CheckCode.ofDecoding + CheckCode.ofDecryption + [.notOpened, .measurementsExpired, .openedWithKey])
}

/// A measurement token that a key has opened.
struct SealedMeasurements {
    let measurements: ApproovClaims.Measurements
    let key: String

    /// Opens a token with the first live key that fits.
    init(
        opening text: String, with keys: KeySelection<ApproovHardwareKey>, at now: Date
    ) throws(CheckFailure) {
        do throws(DecodeError) {
            let jwe = try MeasurementToken.decode(text)
            for entry in keys.live {
                do throws(DecodeError) {
                    measurements = try MeasurementToken(opening: jwe, with: entry.material.key, at: now).measurements
                    key = entry.name
                    return
                } catch {
                    guard error.reason == .notOpened else { throw error }
                }
            }
        } catch {
            throw CheckFailure(error)
        }
        let tried = keys.live.map(\.name.excerpt).joined(separator: ", ")
        throw CheckFailure(
            .notOpened, "the token was sealed for another key, or was changed afterwards; tried \(tried)")
    }
}

extension CheckCode {
    static let openedWithKey = CheckCode(
        "opened-with-key", "Names the key of the hardware that opened the measurement token: no action.",
        remedy: .nothing)
}
