import Foundation

/// Reports the state of the service to systemd: datagrams to `$NOTIFY_SOCKET` (sd_notify(3)). Without the variable: nothing.
enum ReadinessNotice {
    static let ready = "READY=1"
    static let stopping = "STOPPING=1"
    /// Before a reload, with the monotonic clock in microseconds.
    static var reloading: String {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return "RELOADING=1\nMONOTONIC_USEC=\(time.tv_sec * 1_000_000 + time.tv_nsec / 1000)"
    }

    static func send(_ state: String) {
        guard let path = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"], (1...107).contains(path.utf8.count)
        else {
            return
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(state.utf8)
        UnixSocket.withAddress(path) { address, length in
            _ = sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, length)
        }
    }
}
