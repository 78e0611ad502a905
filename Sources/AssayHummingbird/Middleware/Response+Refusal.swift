package import AssayHTTP
package import Hummingbird
import NIOCore

extension Response {
    /// The answer to a refused request.
    package init(_ refusal: Refusal) {
        self.init(
            status: refusal.status, headers: refusal.fields,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: refusal.body)))
    }
}
