import Assay
import AssayCore

/// What the options of the command line can do about a call that the verifier refuses.
enum RequestAdvice {
    /// What follows the error's own sentence: empty when there is no option for it.
    static func text(_ error: RequestError) -> String {
        switch error.reason {
        case .noService: "; --service-account has it sent to Google"
        case .ambiguousApp: "; --app names it"
        case .noKey: "; keys of a key store count with --ledger and its master key"
        default: ""
        }
    }
}
