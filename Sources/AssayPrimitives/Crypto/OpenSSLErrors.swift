internal import COpenSSL

/// OpenSSL's per-thread error queue.
enum OpenSSLErrors {
    /// Removes the errors of earlier calls.
    static func clear() {
        ERR_clear_error()
    }

    /// Empties the queue. Returns its first entries, the causes, in at most a few hundred characters.
    static func drain() -> String {
        var texts: [String] = []
        while true {
            let code = ERR_get_error()
            guard code != 0 else { break }
            guard texts.count < 3, let reason = unsafe ERR_reason_error_string(code) else { continue }
            texts.append(String(unsafe String(cString: reason).prefix(100)))
        }
        return texts.isEmpty ? "OpenSSL gave no reason" : texts.joined(separator: "; ")
    }
}
