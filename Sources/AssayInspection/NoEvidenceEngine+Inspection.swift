package import Assay

extension NoEvidenceEngine: InspectableEngine {
    package static let title = "No evidence"

    package static let fields: [InspectedField] = [
        ("reason", "why the device says that it has no evidence; nothing proves it"),
        ("code", "the error of the platform, as the device states it"),
        ("appVersion", "the version of the app, as the device states it"),
        ("systemVersion", "the version of the operating system, as the device states it"),
    ].map { InspectedField(.noEvidence, $0, $1) }
}
