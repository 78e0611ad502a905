package import AssayCore

extension AttestEnvironment {
    /// The AAGUID of the authenticator data, all 16 bytes (Apple, Validating apps that connect to your server, step 8).
    package var aaguid: [UInt8] {
        switch self {
        case .production: Array("appattest".utf8) + [0, 0, 0, 0, 0, 0, 0]
        case .development: Array("appattestdevelop".utf8)
        }
    }

    /// Field 7 of a receipt.
    var receiptName: String {
        switch self {
        case .production: "production"
        case .development: "sandbox"
        }
    }
}

/// The operating system family of a device.
@nonexhaustive
public enum ApplePlatform: String, Sendable, CaseIterable {
    /// iOS and iPadOS.
    case iOS
    /// macOS.
    case macOS
}

/// How an app was installed (Apple, authenticator data extension `apple_validation_category_01`).
package enum ValidationCategory: String, Sendable, CaseIterable {
    /// Part of the operating system.
    case operatingSystem
    /// Installed by TestFlight.
    case testFlight
    /// Installed by Xcode.
    case development
    /// Installed by the App Store.
    case appStore
    /// Enterprise or ad hoc distribution.
    case enterprise
    /// Signed with a Developer ID, on macOS.
    case developerID
    /// Another way.
    case other

    /// The category of a value; nil for 0, 7, 8 and 9, which are never appropriate, and for values over 10.
    package init?(value: UInt64) {
        switch value {
        case 1: self = .operatingSystem
        case 2: self = .testFlight
        case 3: self = .development
        case 4: self = .appStore
        case 5: self = .enterprise
        case 6: self = .developerID
        case 10: self = .other
        default: return nil
        }
    }
}
