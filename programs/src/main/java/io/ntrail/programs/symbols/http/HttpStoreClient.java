package io.ntrail.programs.symbols.http;

import io.ntrail.programs.symbols.PartialFile;
import io.ntrail.programs.symbols.PointerText;
import io.ntrail.programs.symbols.StoreClient;
import io.ntrail.programs.symbols.StoreKey;
import io.ntrail.programs.symbols.SymbolPath.Store.Http;
import io.ntrail.programs.symbols.http.HttpDownload.Outcome;
import io.ntrail.programs.symbols.http.ServerState.Digits;
import io.ntrail.programs.symbols.http.ServerState.Form;
import io.ntrail.programs.symbols.http.ServerState.Tiers;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Fetches files from symbol servers. A thread that is interrupted stops at once, and leaves what it
 * has for the next one to continue. A server that cannot be reached is asked once and then skipped;
 * one that does not have a file is believed for a while, also by other programs.
 *
 * <p>May be used by several threads. Nothing goes to the network before the first file is
 * requested.
 */
public final class HttpStoreClient implements StoreClient, AutoCloseable {
  private final FetchLimits limits;
  private final FetchListener watch;
  private final InstantSource clock;
  private final UnaryOperator<HttpClient.Builder> how;
  private final Map<String, ServerState> servers = new ConcurrentHashMap<>();
  private @Nullable HttpClient client;

  /** Threads that fetch a file now; guards itself and {@link #isStopped}. */
  private final Set<Thread> fetching = new HashSet<>();

  private boolean isStopped;

  /** Makes a client with the usual HTTP client. */
  public HttpStoreClient(FetchLimits limits, FetchListener watch) {
    this(limits, watch, InstantSource.system(), builder -> builder);
  }

  HttpStoreClient(
      FetchLimits limits,
      FetchListener watch,
      InstantSource clock,
      UnaryOperator<HttpClient.Builder> how) {
    this.how = how;
    this.limits = limits;
    this.watch = watch;
    this.clock = clock;
  }

  /** A possible place of a file on a server. */
  private record Place(List<String> folders, StoreKey key, Form form) {
    List<String> parts() {
      List<String> parts = new ArrayList<>(folders);
      parts.add(key.name());
      parts.add(key.key());
      parts.add(
          switch (form) {
            case PLAIN -> key.name();
            case PACKED -> key.packedName();
            case POINTER -> PointerText.NAME;
          });
      return parts;
    }
  }

  @Override
  public Optional<Answer.Missing> known(URI server, StoreKey key, Path folder) {
    return NegativeCache.in(folder, key.name())
        .of(server, clock.instant(), limits.remembered())
        .map(line ->
            new Answer.Missing(line.isThere(), "%s (asked %s)".formatted(line.why(), line.when())));
  }

  @Override
  public void refused(URI server, StoreKey key, Path folder, String why) {
    remember(server, key, folder, true, why);
  }

  private void remember(URI server, StoreKey key, Path folder, boolean isThere, String why) {
    NegativeCache.in(folder, key.name())
        .with(server, clock.instant(), isThere, why)
        .write(folder, key.name());
  }

  @Override
  public Answer fetch(URI server, StoreKey key, PartialFile part) {
    ServerState state = servers.computeIfAbsent(server.toString(), _ -> new ServerState());
    if (!state.leftAlone().isEmpty()) {
      String why = "%s skipped: it %s".formatted(Http.text(server), state.leftAlone());
      return new Answer.Missing(false, why);
    }
    if (state.isNew()) {
      watch.asks(server);
    }
    if (!begins()) {
      return new Answer.Missing(false, Http.text(server) + " not asked: stopped");
    }
    watch.comes(key, 0, -1);
    try {
      return new Search(server, key, part, state).run();
    } finally {
      ended();
      watch.ends(key);
    }
  }

  private boolean begins() {
    synchronized (fetching) {
      if (!isStopped) {
        fetching.add(Thread.currentThread());
      }
      return !isStopped;
    }
  }

  private void ended() {
    synchronized (fetching) {
      fetching.remove(Thread.currentThread());
      if (isStopped) {
        // The interruption was meant for the download, not for who goes on with what there is.
        boolean _ = Thread.interrupted();
      }
    }
  }

  /** Ends the downloads that are under way, which can be resumed, and begins no more. */
  public void stop() {
    synchronized (fetching) {
      isStopped = true;
      fetching.forEach(Thread::interrupt);
    }
  }

  private synchronized HttpClient client() {
    HttpClient made = client;
    if (made == null) {
      made =
          how.apply(
                  HttpClient.newBuilder()
                      .connectTimeout(limits.connect())
                      .followRedirects(HttpClient.Redirect.NEVER))
              .build();
      client = made;
    }
    return made;
  }

  /** Stops what is under way. */
  @Override
  public synchronized void close() {
    if (client != null) {
      client.shutdownNow();
    }
  }

  /** The search for one file on one server. */
  private final class Search {
    private final URI server;
    private final StoreKey key;
    private final PartialFile part;
    private final ServerState state;
    private final HttpDownload get = new HttpDownload(client(), limits, watch);

    /** Reason of an answer that is not a file; whether there is a file is unknown. */
    private String inTheWay = "";

    private int status;

    Search(URI server, StoreKey key, PartialFile part, ServerState state) {
      this.server = server;
      this.key = key;
      this.part = part;
      this.state = state;
    }

    Answer run() {
      Tiers known = state.tiers();
      Optional<Answer> answer = known == Tiers.TWO ? Optional.empty() : inTier(List.of());
      if (answer.isEmpty() && (known == Tiers.TWO || known == Tiers.UNKNOWN && hasTwoTiers())) {
        answer = inTier(List.of(key.prefix()));
      }
      return answer.orElseGet(this::missing);
    }

    /** Notes an answer that is not a file; the first one is that for the most likely place. */
    private void inTheWay(String why) {
      if (inTheWay.isEmpty()) {
        inTheWay = why;
      }
    }

    private Answer missing() {
      state.answered();
      if (!inTheWay.isEmpty()) {
        return new Answer.Missing(false, Http.text(server) + " " + inTheWay);
      }
      String why = "%s has no %s (%d)".formatted(Http.text(server), key, status);
      remember(server, key, part.folder(), false, why);
      return new Answer.Missing(false, why);
    }

    private Optional<Answer> inTier(List<String> folders) {
      for (StoreKey spelled : state.spellings(key)) {
        for (Form form : state.forms()) {
          Optional<Answer> answer = at(new Place(folders, spelled, form));
          if (answer.isPresent()) {
            return answer;
          }
        }
      }
      return Optional.empty();
    }

    /** Empty if it is to be looked for elsewhere. */
    private Optional<Answer> at(Place place) {
      boolean isPointer = place.form == Form.POINTER;
      URI address = StoreUrls.of(server, place.parts());
      Outcome outcome = get(address, isPointer ? PointerText.MOST_BYTES : limits.mostBytes());
      Optional<Answer> answer =
          switch (outcome) {
            case Outcome.Came(String encoding) ->
                isPointer ? pointed(encoding) : came(encoding, address);
            default -> failed(outcome);
          };
      if (answer.isPresent() && answer.get() instanceof Answer.Fetched) {
        state.had(place.form, Digits.of(place.key, key));
      }
      return answer;
    }

    private Outcome get(URI address, long most) {
      boolean isText = most <= PointerText.MOST_BYTES;
      return get.get(new HttpDownload.Target(address, part, most, isText, key));
    }

    private Optional<Answer> failed(Outcome outcome) {
      String name = Http.text(server);
      return switch (outcome) {
        case Outcome.None(int code) -> {
          status = code;
          yield Optional.empty();
        }
        case Outcome.Unusable(String why) -> {
          inTheWay(why);
          yield Optional.empty();
        }
        case Outcome.Login(int code) -> {
          String why = "requires authentication (%d)".formatted(code);
          state.failed(why, true);
          yield Optional.of(new Answer.Missing(false, name + " " + why));
        }
        case Outcome.Down(String why, boolean isGone) -> {
          state.failed(why, isGone);
          yield Optional.of(new Answer.Missing(false, name + " " + why));
        }
        case Outcome.Again(String why, _, _) ->
            Optional.of(new Answer.Missing(false, name + " " + why));
        case Outcome.Stopped _ ->
            Optional.of(
                new Answer.Missing(false, name + (wasStopped() ? " stopped" : " timed out")));
        case Outcome.Came _ -> throw new IllegalStateException("it did not fail");
      };
    }

    private Optional<Answer> came(String encoding, URI address) {
      try {
        String packed = encoding;
        if (packed.equals("identity") && DownloadKind.of(head()) == DownloadKind.GZIP) {
          packed = "gzip";
        }
        if (!packed.equals("identity")) {
          // What is left if this program ends now cannot be resumed.
          part.note("");
          ContentDecoder.inPlace(part.file(), packed, limits.mostBytes());
        }
        return switch (DownloadKind.of(head())) {
          case FILE -> Optional.of(new Answer.Fetched(false));
          case CABINET -> Optional.of(new Answer.Fetched(true));
          case GZIP, OTHER -> {
            boolean isEmpty = Files.size(part.file()) == 0;
            inTheWay(
                isEmpty
                    ? "returned an empty file"
                    : "returned something that is not a symbol file");
            dropped();
            yield Optional.empty();
          }
        };
      } catch (IOException e) {
        dropped();
        inTheWay(
            "returned a damaged file for %s: %s".formatted(Http.text(address), e.getMessage()));
        return Optional.empty();
      }
    }

    private byte[] head() throws IOException {
      try (InputStream in = Files.newInputStream(part.file())) {
        return in.readNBytes(DownloadKind.BYTES);
      }
    }

    private boolean isPage() {
      try {
        byte[] head = head();
        return head.length > 0 && head[0] == '<';
      } catch (IOException e) {
        return true;
      }
    }

    private void dropped() {
      try {
        part.note("");
        Files.deleteIfExists(part.file());
      } catch (IOException e) {
        // It is overwritten, or deleted when it is closed.
      }
    }

    private boolean wasStopped() {
      synchronized (fetching) {
        return isStopped;
      }
    }

    /** A pointer may lead to another server; never to files of this machine or its network. */
    private Optional<Answer> pointed(String encoding) {
      PointerText pointer;
      try {
        if (isPage()) {
          inTheWay(ResponseBody.notAFile("text/html"));
          return Optional.empty();
        }
        if (!encoding.equals("identity")) {
          ContentDecoder.inPlace(part.file(), encoding, PointerText.MOST_BYTES);
        }
        pointer = PointerText.of(Files.readAllBytes(part.file()));
      } catch (IOException e) {
        inTheWay("has a damaged " + PointerText.NAME);
        return Optional.empty();
      } finally {
        dropped();
      }
      if (pointer.isWithdrawn()) {
        String why = Http.text(server) + " has withdrawn " + key + ": " + pointer.text();
        return Optional.of(new Answer.Missing(false, why));
      }
      Optional<URI> to = StoreUrls.resolved(server, pointer.text());
      boolean isWeb = pointer.text().matches("(?i)https?://.*") && to.isPresent();
      if (!isWeb || StoreUrls.isSafe(server) && !StoreUrls.isSafe(to.get())) {
        String shown = pointer.text().replaceAll("\\p{Cc}", "?");
        String cut = shown.substring(0, Math.min(200, shown.length()));
        inTheWay("points to " + cut + ", which a server may not refer to");
        return Optional.empty();
      }
      Outcome outcome = get(to.get(), limits.mostBytes());
      return outcome instanceof Outcome.Came(String packed)
          ? came(packed, to.get())
          : failed(outcome);
    }

    /** Stores with two tiers have a file of this name at their root. */
    private boolean hasTwoTiers() {
      Outcome outcome = get(StoreUrls.of(server, List.of("index2.txt")), PointerText.MOST_BYTES);
      // Its content means nothing, but a page that is returned for every URL is not such a file.
      boolean has = outcome instanceof Outcome.Came && !isPage();
      dropped();
      if (has || outcome instanceof Outcome.None) {
        state.tiers(has ? Tiers.TWO : Tiers.ONE);
      }
      return has;
    }
  }
}
