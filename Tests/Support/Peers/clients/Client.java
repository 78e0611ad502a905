// Posts three requests, pauses, and posts two more, with Java's client as it is: java Client.java URL SECONDS
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

public class Client {
    public static void main(String[] arguments) throws Exception {
        var client = HttpClient.newHttpClient();
        for (int index = 0; index < 5; index++) {
            if (index == 3) Thread.sleep((long) (1000 * Double.parseDouble(arguments[1])));
            var request = HttpRequest.newBuilder(URI.create(arguments[0])).header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"app\":\"bank\",\"kind\":\"app-attest.attestation\"}")).build();
            System.out.println(client.send(request, BodyHandlers.ofString()).statusCode());
        }
    }
}
