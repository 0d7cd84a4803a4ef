package io.ntrail.programs.symbols.http;

import io.ntrail.programs.symbols.PartialFile;
import io.ntrail.programs.symbols.StoreKey;
import io.ntrail.programs.symbols.SymbolPath.Store.Http;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Downloads one URL into a file: follows redirections, resumes where it stopped, retries where that
 * may help. Used by one thread.
 */
final class HttpDownload {
  private static final int MOST_REDIRECTS = 10;

  /**
   * A connection that breaks again and again gives up at last, even if something came each time.
   */
  private static final int MOST_BREAKS = 50;

  /** Fewest bytes that must arrive in the time of {@link FetchLimits#stall}. */
  private static final long LEAST_BYTES = 4096;

  private static final Duration MOST_BACK_OFF = Duration.ofSeconds(10);

  /** Some servers refuse who does not call itself so. */
  private static final String AGENT = "Microsoft-Symbol-Server/10.0.0.0 (ntrail)";

  /** Outcome of a download. */
  sealed interface Outcome {
    /**
     * The file has come.
     *
     * @param encoding what it is packed in for the way
     */
    record Came(String encoding) implements Outcome {}

    /** The server has no such file. */
    record None(int status) implements Outcome {}

    /**
     * It has something that is not the file.
     *
     * @param why in half a sentence, after the name of the server
     */
    record Unusable(String why) implements Outcome {}

    /** It requires authentication. */
    record Login(int status) implements Outcome {}

    /**
     * It does not answer properly at present.
     *
     * @param isGone whether it does not answer at all
     */
    record Down(String why, boolean isGone) implements Outcome {}

    /** The caller does not want it any more. */
    record Stopped() implements Outcome {}

    /** It failed, and a retry may help. */
    record Again(String why, Duration after, boolean isGone) implements Outcome {}
  }

  /** A file to download. */
  record Target(URI address, PartialFile part, long most, boolean isText, StoreKey key) {}

  private final HttpClient client;
  private final FetchLimits limits;
  private final FetchListener watch;

  HttpDownload(HttpClient client, FetchLimits limits, FetchListener watch) {
    this.client = client;
    this.limits = limits;
    this.watch = watch;
  }

  /** Gets it. */
  Outcome get(Target target) {
    int fruitless = 0;
    for (int breaks = 0; ; breaks++) {
      if (Thread.currentThread().isInterrupted()) {
        return new Outcome.Stopped();
      }
      long before = size(target.part.file());
      Outcome outcome = once(target);
      if (!(outcome instanceof Outcome.Again(String why, Duration after, boolean isGone))) {
        return outcome;
      }
      boolean gotOn = !target.part.note().isEmpty() && size(target.part.file()) > before;
      fruitless = gotOn ? 0 : fruitless + 1;
      if (fruitless >= limits.tries() || breaks >= MOST_BREAKS) {
        return new Outcome.Down(why, isGone);
      }
      try {
        Thread.sleep(backOff(fruitless, after));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return new Outcome.Stopped();
      }
    }
  }

  private Duration backOff(int fruitless, Duration asked) {
    if (fruitless == 0) {
      return Duration.ZERO;
    }
    Duration own = limits.backOff().multipliedBy(1L << (fruitless - 1));
    Duration longer = asked.compareTo(own) > 0 ? asked : own;
    return longer.compareTo(MOST_BACK_OFF) > 0 ? MOST_BACK_OFF : longer;
  }

  private static long size(Path file) {
    try {
      return Files.exists(file) ? Files.size(file) : 0;
    } catch (IOException e) {
      return 0;
    }
  }

  private Outcome once(Target target) {
    try {
      Optional<ResumeInfo> note = resumable(target);
      Outcome outcome = follow(target, note);
      boolean hasMoved = outcome instanceof Outcome.Again && note.isPresent() && isStale(target);
      return hasMoved ? follow(target, Optional.empty()) : outcome;
    } catch (IOException e) {
      return new Outcome.Unusable("cannot be fetched: " + e.getMessage());
    }
  }

  /** Returns true if the partial file turned out to be useless. */
  private static boolean isStale(Target target) {
    return target.part.note().isEmpty() && !Files.exists(target.part.file());
  }

  private static Optional<ResumeInfo> resumable(Target target) throws IOException {
    Optional<ResumeInfo> note =
        ResumeInfo.read(target.part.note())
            .filter(n -> n.address().equals(Http.text(target.address)))
            .filter(_ -> size(target.part.file()) > 0);
    return note.filter(_ -> !target.isText);
  }

  private Outcome follow(Target target, Optional<ResumeInfo> note) throws IOException {
    URI at = target.address;
    Set<URI> seen = new HashSet<>(Set.of(at));
    while (true) {
      ResponseBody body = new ResponseBody(new Part(target, note));
      Outcome failed = send(request(at, target, note), body);
      int status = body.status();
      if (!isRedirect(status)) {
        return failed != null && (status == 0 || status == 200 || status == 206)
            ? failed
            : judged(target, body);
      }
      String location = body.header("Location").orElse("");
      Optional<URI> to = StoreUrls.resolved(at, location);
      if (to.isEmpty()) {
        return new Outcome.Unusable("redirects to an invalid URL");
      }
      if (StoreUrls.isSafe(at) && !StoreUrls.isSafe(to.get())) {
        return new Outcome.Unusable(
            "redirects from https to http (%s), which is refused".formatted(Http.text(to.get())));
      }
      if (!seen.add(to.get()) || seen.size() > MOST_REDIRECTS) {
        return new Outcome.Unusable("redirects too often");
      }
      at = to.get();
    }
  }

  private static boolean isRedirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
  }

  private HttpRequest request(URI at, Target target, Optional<ResumeInfo> note) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(StoreUrls.withoutUser(at))
            // Without TLS a newer version costs a header that some servers stumble over.
            .version(StoreUrls.isSafe(at) ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1)
            .header("User-Agent", AGENT)
            .header("Accept-Encoding", note.map(ResumeInfo::encoding).orElse("gzip, deflate"));
    if (StoreUrls.isSamePlace(at, target.address)) {
      StoreUrls.authorization(target.address)
          .ifPresent(proof -> request.header("Authorization", proof));
    }
    note.ifPresent(known ->
        request
            .header("Range", "bytes=" + size(target.part.file()) + "-")
            .header("If-Range", known.validator()));
    return request.GET().build();
  }

  /** The answer into the body; what happened if it did not come as a whole, else null. */
  private @Nullable Outcome send(HttpRequest request, ResponseBody body) throws IOException {
    CompletableFuture<HttpResponse<Void>> answer = client.sendAsync(request, body::subscriber);
    long since = System.nanoTime();
    long before = 0;
    try {
      while (true) {
        Duration limit = body.status() == 0 ? limits.firstByte() : limits.stall();
        long now = System.nanoTime();
        long left = limit.toNanos() - (now - body.lastNanos());
        if (body.status() == 0) {
          since = now;
        } else if (now - since >= limit.toNanos()) {
          // Who sends a byte now and then would hold us for years.
          if (body.bytes() - before < LEAST_BYTES) {
            return new Outcome.Down(
                "sent less than %d bytes in %d s".formatted(LEAST_BYTES, limit.toSeconds()), false);
          }
          since = now;
          before = body.bytes();
        }
        left = Math.min(left, limit.toNanos() - (now - since));
        if (left <= 0) {
          String what = body.status() == 0 ? "did not answer" : "sent nothing more";
          return again(what + " within " + limit.toSeconds() + " s", body.status() == 0);
        }
        try {
          answer.get(left, TimeUnit.NANOSECONDS);
          return null;
        } catch (TimeoutException e) {
          // Something may have come meanwhile.
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Outcome.Stopped();
    } catch (ExecutionException e) {
      return failed(e.getCause(), body);
    } finally {
      answer.cancel(true);
      body.close();
    }
  }

  private static Outcome failed(@Nullable Throwable cause, ResponseBody body) {
    if (!body.failure().isEmpty()) {
      return new Outcome.Unusable(body.failure());
    }
    if (cause instanceof HttpConnectTimeoutException) {
      return new Outcome.Down("is not reachable: no answer", true);
    }
    if (cause instanceof ConnectException) {
      Throwable why = cause.getCause();
      boolean unknown =
          why instanceof UnknownHostException || why instanceof UnresolvedAddressException;
      return new Outcome.Down(
          "is not reachable: " + (unknown ? "host name not found" : "connection refused"), true);
    }
    if (cause instanceof SSLException) {
      return new Outcome.Down("failed the TLS handshake: " + text(cause), true);
    }
    return again("closed the connection (" + text(cause) + ")", body.status() == 0);
  }

  private static String text(@Nullable Throwable cause) {
    String message = cause == null ? null : cause.getMessage();
    String text = message == null ? String.valueOf(cause) : message;
    return text.replaceAll("\\p{Cc}", " ");
  }

  private static Outcome again(String why, boolean isGone) {
    return new Outcome.Again(why, Duration.ZERO, isGone);
  }

  /** Returns the outcome of an answer, as far as it was read. */
  private static Outcome judged(Target target, ResponseBody body) throws IOException {
    int status = body.status();
    return switch (status) {
      case 200, 206 -> {
        if (!body.failure().isEmpty()) {
          yield new Outcome.Unusable(body.failure());
        }
        if (body.isMismatch()) {
          startOver(target);
          yield again("returned the wrong range", false);
        }
        yield new Outcome.Came(body.encoding());
      }
      case 416 -> {
        startOver(target);
        yield again("has less of the file than the partial download", false);
      }
      // Cloud stores may not tell which files are missing.
      case 403, 404, 410 -> new Outcome.None(status);
      case 401, 407 -> new Outcome.Login(status);
      case 408, 429, 500, 502, 503, 504 ->
          new Outcome.Again(
              (status == 429 ? "limits the rate of requests" : "returned an error")
                  + " ("
                  + status
                  + ")",
              retryAfter(body),
              false);
      default ->
          status >= 500
              ? new Outcome.Down("returned an error (" + status + ")", false)
              : new Outcome.Unusable("answers " + status);
    };
  }

  private static void startOver(Target target) throws IOException {
    target.part.note("");
    Files.deleteIfExists(target.part.file());
  }

  private static Duration retryAfter(ResponseBody body) {
    return body.header("Retry-After")
        .map(String::strip)
        .filter(text -> text.matches("\\d{1,6}"))
        .map(text -> Duration.ofSeconds(Long.parseLong(text)))
        .orElse(Duration.ZERO);
  }

  /** The file that an answer is written to. */
  private final class Part implements ResponseBody.Wanted {
    private final Target target;
    private final long already;
    private final String encoding;

    Part(Target target, Optional<ResumeInfo> note) {
      this.target = target;
      this.encoding = note.map(ResumeInfo::encoding).orElse("");
      this.already = note.isPresent() ? size(target.part.file()) : 0;
    }

    @Override
    public Path file() {
      return target.part.file();
    }

    @Override
    public long already() {
      return already;
    }

    @Override
    public String encoding() {
      return encoding;
    }

    @Override
    public long most() {
      return target.most;
    }

    @Override
    public boolean isText() {
      return target.isText;
    }

    @Override
    public void begins(HttpHeaders headers, String encoding) throws IOException {
      // Noted before the first byte comes: this program may be ended at any time.
      String note =
          target.isText
              ? ""
              : ResumeInfo.of(Http.text(target.address), headers, encoding)
                  .map(ResumeInfo::text)
                  .orElse("");
      Files.deleteIfExists(target.part.file());
      target.part.note(note);
    }

    @Override
    public void comes(long bytes, long total) {
      if (!target.isText) {
        watch.comes(target.key, bytes, total);
      }
    }
  }
}
