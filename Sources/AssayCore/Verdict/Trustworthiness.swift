/// What evidence says about a device and its app, as claims of a trustworthiness vector (draft-ietf-rats-ar4si). Nil if the evidence
/// does not show it.
package struct Trustworthiness: Sendable {
    /// The values of claims (AR4SI section 2.3).
    package enum Value {
        /// Genuine hardware, or a configuration that is known to be sound.
        package static let genuine = 2
        /// Only code that the verifier recognises.
        package static let recognised = 3
        /// The lowest value of the tier of warnings.
        package static let warning = 32
        /// Code that the verifier does not recognise.
        package static let unrecognised = 33
        /// The lowest value of the tier of contraindications.
        package static let contraindicated = 96
    }

    /// The configuration of the device.
    package var configuration: Int?
    /// The code of the app.
    package var executables: Int?
    /// The device's hardware, unless a test authority signed the evidence.
    package var hardware: Int?

    package init(configuration: Int? = nil, executables: Int? = nil, hardware: Int? = nil) {
        (self.configuration, self.executables, self.hardware) = (configuration, executables, hardware)
    }
}
