// Registers an App Attest key and judges requests through `assay serve`; see client.py.
//
//     java Client.java challenge APP; java Client.java verify RECORD.json
//
// ASSAY_URL is the service, ASSAY_TOKEN the token of `assay operators add`. Exit status: 0 accepted, 1 rejected, 2 error, 3 outage.
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;

public class Client {
    static final HttpClient client = HttpClient.newHttpClient();
    /** Posts a JSON body. Repeats in an outage, as the service says. */
    static String call(String path, String body) throws InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(System.getenv("ASSAY_URL") + path)).timeout(Duration.ofSeconds(10))
            .header("Content-Type", "application/json").header("Authorization", "Bearer " + System.getenv("ASSAY_TOKEN"))
            .POST(HttpRequest.BodyPublishers.ofString(body)).build();
        String last = "";
        for (int attempt = 1; attempt <= 3; attempt++) {
            long wait = 1;
            try {
                var answer = client.send(request, BodyHandlers.ofString());
                if (answer.statusCode() < 300) return answer.body();
                if (answer.statusCode() != 503) fail(2, member(answer.body(), "detail"));
                wait = answer.headers().firstValueAsLong("Retry-After").orElse(1);
                last = member(answer.body(), "detail");
            } catch (java.io.IOException unreachable) {}
            if (attempt < 3) Thread.sleep(wait * 1000);
        }
        // There is no verdict: let no request in, and have the client try again later.
        fail(3, "no answer from " + System.getenv("ASSAY_URL") + path + " " + last);
        return "";
    }

    /** A text of the answer's object; use a JSON library where you have one. */
    static String member(String json, String name) {
        var found = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
        return found.find() ? found.group(1) : "";
    }

    static void fail(int status, String text) { System.err.println(text); System.exit(status); }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 2 || !arguments[0].matches("challenge|verify") || System.getenv("ASSAY_URL") == null)
            fail(2, "expected challenge APP or verify FILE, and ASSAY_URL");
        if (arguments[0].equals("challenge")) {
            var body = "{\"app\":\"" + arguments[1] + "\",\"kind\":\"app-attest.attestation\"}";
            System.out.println(member(call("/v1/challenges", body), "challenge"));
        } else {
            if (!Files.isReadable(Path.of(arguments[1]))) fail(2, arguments[1] + " cannot be read");
            var verdict = call("/v1/verify", Files.readString(Path.of(arguments[1])));
            if (!member(verdict, "outcome").equals("accept")) fail(1, "rejected, remedy: " + member(verdict, "remedy"));
        }
    }
}
