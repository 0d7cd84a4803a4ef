package io.ntrail.testkit.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** A web server of the loopback interface with some files, which remembers what it was asked. */
public final class SymbolStoreServer implements AutoCloseable {
  private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-");

  /** Answer to a request. */
  @FunctionalInterface
  public interface Reply {
    /** Answers it; the exchange is closed afterwards. */
    void to(Exchange exchange) throws IOException;
  }

  /** A request that is being answered. */
  public static final class Exchange {
    private final HttpExchange exchange;

    private Exchange(HttpExchange exchange) {
      this.exchange = exchange;
    }

    /** A header of the request; empty if there is none. */
    public String header(String name) {
      String value = exchange.getRequestHeaders().getFirst(name);
      return value == null ? "" : value;
    }

    /**
     * Begins the answer.
     *
     * @param length of the body; 0 for none
     * @param headers pairs of name and value
     */
    public Exchange head(int status, long length, String... headers) throws IOException {
      for (int i = 0; i < headers.length; i += 2) {
        exchange.getResponseHeaders().set(headers[i], headers[i + 1]);
      }
      exchange.sendResponseHeaders(status, length == 0 ? -1 : length);
      return this;
    }

    /** Sends a part of the body. */
    public void send(byte[] bytes) throws IOException {
      exchange.getResponseBody().write(bytes);
      exchange.getResponseBody().flush();
    }

    /** Waits until the server is closed. */
    public void untilClosed() throws IOException {
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
  }

  /**
   * A request.
   *
   * @param path as it was sent, with percent signs
   * @param headers by their names in lower case
   */
  public record Asked(String path, Map<String, String> headers) {
    /** A header; empty if there was none. */
    public String header(String name) {
      return headers.getOrDefault(name, "");
    }
  }

  private final HttpServer server;
  private final String scheme;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, Reply> replies = new ConcurrentHashMap<>();
  private final List<Asked> asked = new CopyOnWriteArrayList<>();
  private volatile Reply otherwise = status(404);

  /** Begins to answer, on any free port. */
  public SymbolStoreServer() {
    this(null);
  }

  /** Starts a server, with TLS if a context is given. */
  public SymbolStoreServer(@Nullable SSLContext tls) {
    try {
      InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      if (tls == null) {
        server = HttpServer.create(address, 0);
      } else {
        HttpsServer safe = HttpsServer.create(address, 0);
        safe.setHttpsConfigurator(new HttpsConfigurator(tls));
        server = safe;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    scheme = tls == null ? "http" : "https";
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) {
    Map<String, String> headers = new ConcurrentHashMap<>();
    exchange
        .getRequestHeaders()
        .forEach((name, values) ->
            headers.put(name.toLowerCase(java.util.Locale.ROOT), values.getFirst()));
    String path = exchange.getRequestURI().getRawPath();
    asked.add(new Asked(path, headers));
    try (exchange) {
      replies.getOrDefault(path, otherwise).to(new Exchange(exchange));
    } catch (IOException e) {
      // Who asked went away.
    }
  }

  /** Returns its URL: {@code http://127.0.0.1:PORT}. */
  public URI root() {
    return URI.create(scheme + "://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Sets the answer for one path. */
  public SymbolStoreServer on(String path, Reply reply) {
    replies.put(path, reply);
    return this;
  }

  /** A file that is there. */
  public SymbolStoreServer has(String path, byte[] bytes) {
    return on(path, body(bytes));
  }

  /** Sets the answer for every other path; 404 at first. */
  public SymbolStoreServer otherwise(Reply reply) {
    otherwise = reply;
    return this;
  }

  /** All requests so far. */
  public List<Asked> asked() {
    return List.copyOf(asked);
  }

  /** Returns the number of requests for a path. */
  public long asked(String path) {
    return asked.stream().filter(each -> each.path().equals(path)).count();
  }

  /** A status without a body, and pairs of headers. */
  public static Reply status(int code, String... headers) {
    return exchange -> exchange.head(code, 0, headers);
  }

  /** A body with 200, and pairs of headers. */
  public static Reply body(byte[] bytes, String... headers) {
    return exchange -> exchange.head(200, bytes.length, headers).send(bytes);
  }

  /** One reply after the other; the last one from then on. */
  public static Reply inTurn(Reply... replies) {
    int[] next = {0};
    return exchange -> {
      Reply reply;
      synchronized (next) {
        reply = replies[Math.min(next[0]++, replies.length - 1)];
      }
      reply.to(exchange);
    };
  }

  /** A file of which parts can be had, as long as who asks has the same ETag. */
  public static Reply inParts(byte[] bytes, String tag) {
    return exchange -> {
      Matcher from = RANGE.matcher(exchange.header("Range"));
      if (!from.matches() || !tag.equals(exchange.header("If-Range"))) {
        body(bytes, "ETag", tag).to(exchange);
        return;
      }
      int first = Integer.parseInt(from.group(1));
      if (first >= bytes.length) {
        status(416, "Content-Range", "bytes */" + bytes.length).to(exchange);
        return;
      }
      byte[] rest = Arrays.copyOfRange(bytes, first, bytes.length);
      String range = "bytes %d-%d/%d".formatted(first, bytes.length - 1, bytes.length);
      exchange.head(206, rest.length, "ETag", tag, "Content-Range", range).send(rest);
    };
  }

  /** Bytes as {@code Content-Encoding: gzip} has them. */
  public static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (OutputStream packed = new GZIPOutputStream(out)) {
      packed.write(bytes);
    }
    return out.toByteArray();
  }

  /** Bytes as {@code Content-Encoding: deflate} has them. */
  public static byte[] deflate(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (OutputStream packed = new DeflaterOutputStream(out)) {
      packed.write(bytes);
    }
    return out.toByteArray();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
