import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

class FileFetcher {
    private final HttpClient http = HttpClient.newHttpClient();

    @SchedulerLock(name = "fetch", lockAtMostFor = "PT30S") // want 7
    void fetchAll(List<URI> list) throws Exception {
        for (URI uri : list) {
            fetch(uri);
        }
    }

    private void fetch(URI uri) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(uri).GET().build();
        http.send(request, HttpResponse.BodyHandlers.ofFile(Path.of("out")));
    }

    @SchedulerLock(name = "fetch-one", lockAtMostFor = "PT30S")
    void fetchOne(URI uri) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(10)).GET().build();
        http.send(request, HttpResponse.BodyHandlers.ofFile(Path.of("out")));
    }
}
