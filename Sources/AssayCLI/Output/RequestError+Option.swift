import AssayCore

extension RequestError {
    /// The sentence, and the option by which this program is given what is missing.
    var sentence: String {
        code == .noService ? "\(message); here that is --service-account" : message
    }
}
