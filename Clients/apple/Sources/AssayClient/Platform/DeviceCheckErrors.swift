/// The table of errors of DeviceCheck. Sources: Apple, "Establishing your app's integrity"; google/app-check#96, #104.
enum DeviceCheckErrors {
    /// The calls of App Attest.
    enum Call: CaseIterable { case generateKey, attestKey, generateAssertion }

    /// Stands for the domain of `DCError`.
    static let deviceCheck = "dc"

    /// The class of an error.
    ///
    /// - Parameters:
    ///   - domain: ``deviceCheck``, or that of another `NSError`.
    ///   - code: of the error.
    ///   - call: what failed.
    static func failure(domain: String, _ code: Int, in call: Call) -> PlatformFailure {
        guard domain == deviceCheck else {
            let isLocked = domain == "NSOSStatusErrorDomain" && code == -25308
            let known = isLocked ? "os" : "other"
            return PlatformFailure(
                isLocked ? .locked : call == .generateAssertion ? .again : .later, code: "\(known):\(code)")
        }
        return PlatformFailure(kind(code, in: call), code: "dc:\(code)")
    }

    private static func kind(_ code: Int, in call: Call) -> PlatformClass {
        switch (code, call) {
        // featureUnsupported
        case (1, _): .unsupported
        // serverUnavailable: the same key and the same hash later, which keeps Apple's risk metric
        case (4, _): .later
        case (_, .generateKey): .later
        // unknownSystemFailure: "any error but serverUnavailable" discards a key that is not attested
        case (_, .attestKey): .keyGone
        // invalidInput, in the field also for dead keys (the kit's own arguments are of a fixed form), and invalidKey
        case (2, .generateAssertion), (3, .generateAssertion): .keyGone
        // unknownSystemFailure, and codes of later systems
        case (_, .generateAssertion): .again
        }
    }
}
