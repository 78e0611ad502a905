import AssayCore

/// The error that `read` throws; nil if it succeeds.
func readingError(_ read: () throws -> Void) -> DecodeError? {
    do {
        try read()
        return nil
    } catch {
        return error as? DecodeError ?? DecodeError(DecodeError.Code("foreign", ""), at: -1, "\(error)")
    }
}
