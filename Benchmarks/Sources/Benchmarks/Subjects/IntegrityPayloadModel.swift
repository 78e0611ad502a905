/// The payload of an integrity token as `JSONDecoder` has to be told it: every member that the token has.
struct IntegrityPayloadModel: Decodable {
    struct RequestDetails: Decodable {
        let requestPackageName: String
        let nonce: String?
        let timestampMillis: String?
    }
    struct AppIntegrity: Decodable {
        let appRecognitionVerdict: String
        let packageName: String?
        let certificateSha256Digest: [String]?
        let versionCode: String?
    }
    struct DeviceIntegrity: Decodable {
        struct DeviceAttributes: Decodable { let sdkVersion: Int? }
        struct RecentDeviceActivity: Decodable { let deviceActivityLevel: String? }
        let deviceRecognitionVerdict: [String]?
        let deviceAttributes: DeviceAttributes?
        let recentDeviceActivity: RecentDeviceActivity?
    }
    struct AccountDetails: Decodable { let appLicensingVerdict: String }
    struct EnvironmentDetails: Decodable {
        struct AppAccessRiskVerdict: Decodable { let appsDetected: [String]? }
        let playProtectVerdict: String?
        let appAccessRiskVerdict: AppAccessRiskVerdict?
    }
    let requestDetails: RequestDetails
    let appIntegrity: AppIntegrity
    let deviceIntegrity: DeviceIntegrity
    let accountDetails: AccountDetails
    let environmentDetails: EnvironmentDetails?
}
