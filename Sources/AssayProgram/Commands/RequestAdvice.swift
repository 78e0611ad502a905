import Assay
import AssayCore

/// Advice on command-line options for a ``RequestError``.
enum RequestAdvice {
    /// Text to append to the error message; empty if no option helps.
    static func text(_ error: RequestError) -> String {
        switch error.reason {
        case .noService: "; --service-account has it sent to Google"
        case .noStatusList: "; --status-list \(StatusListChoice.forms) says which counts"
        case .ambiguousApp: "; --app names it"
        case .noKey: "; keys of a key store count with --ledger and its master key"
        default: ""
        }
    }
}
