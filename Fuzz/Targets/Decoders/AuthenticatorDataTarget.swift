import AppAttest
import AssayCore
import AssayTesting

extension FuzzTarget {
    /// The authenticator data of App Attest, in both forms.
    static let authenticatorData = FuzzTarget(
        name: "authenticator-data", maximumLength: 512,
        dictionary: ["apple_validation_category_01", "apple_bundle_version_01", "appattest", "appattestdevelop"],
        seeds: {
            var seeds = [try MintedSeeds.attestation().authenticatorData]
            seeds.append(try MintedSeeds.attestation(device: .iOS27).authenticatorData)
            let extensions = AppAttestExtensions(bundleVersion: "1.2", validationCategory: 4)
            for found in [AppAttestExtensions.none, extensions] {
                seeds.append(
                    AuthenticatorDataBlueprint(assertingFor: MintedSeeds.appID, counter: 7, extensions: found).encoded)
            }
            return seeds
        },
        run: { input in
            let readings = [
                Reading(input, by: AuthenticatorDataReading.attestation, isSame: AuthenticatorDataReading.isSame),
                Reading(input, by: AuthenticatorDataReading.assertion, isSame: AuthenticatorDataReading.isSame),
            ]
            for data in readings.compactMap(\.value) {
                require(data.rpIDHash == input[..<32], "another hash than the one that is in it")
                require(
                    data.counter == input[33..<37].reduce(UInt32(0)) { $0 << 8 | UInt32($1) },
                    "another counter than the one that is in it")
            }
            return readings.contains { $0.value != nil }
        })
}

private enum AuthenticatorDataReading {
    static func attestation(_ bytes: ArraySlice<UInt8>) throws(DecodeError) -> AuthenticatorData {
        try AuthenticatorData(attestation: bytes)
    }

    static func assertion(_ bytes: ArraySlice<UInt8>) throws(DecodeError) -> AuthenticatorData {
        try AuthenticatorData(assertion: bytes)
    }

    static func isSame(_ first: AuthenticatorData, _ second: AuthenticatorData) -> Bool {
        first.rpIDHash == second.rpIDHash && first.counter == second.counter
    }
}
