/// How records are captured.
public struct CaptureOptions: Sendable {
    /// What becomes of the evidence.
    public var fields = CaptureFields.keep
    /// How many bytes a file has at most, but for a single record that is larger. 64 MiB unless told otherwise.
    public var maximumBytes = 64 * 1024 * 1024
    /// How many seconds after its first record a file takes its last one. An hour unless told otherwise.
    public var maximumAge = 3600.0
    /// How many files of captures are kept in the folder, the present one included; nil for all. The oldest go first, by
    /// the time in their names, those of other processes included.
    public var maximumFiles: Int?
    /// How many bytes the files of captures in the folder may have together, beside the present one; nil for any number.
    public var maximumTotalBytes: Int?

    /// The usual way: records are kept as they came, in files of at most 64 MiB and an hour, none of which is removed.
    public init() {}

    func validate() throws(CaptureError) {
        guard maximumBytes > 0, maximumAge > 0, maximumFiles ?? 1 > 0, maximumTotalBytes ?? 1 > 0 else {
            throw CaptureError(.option, "the limits of captures are greater than zero")
        }
    }
}
