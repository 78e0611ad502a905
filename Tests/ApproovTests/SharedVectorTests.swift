import Assay
import AssayTestSupport
import Testing

@Suite("The shared vectors of Approov", .enabled(if: SharedFiles.isAvailable, "ASSAY_SHARED is not set"))
struct SharedVectorTests {
}
