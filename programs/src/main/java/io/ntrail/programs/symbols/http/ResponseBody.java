package io.ntrail.programs.symbols.http;

import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Receiver of one answer's bytes: writes them into a file if they are one, else drops them. Filled
 * by a thread of the HTTP client while another one watches its progress.
 */
final class ResponseBody {
  /** Bound of what is read of pages that explain why there is no file. */
  private static final long MOST_OF_A_PAGE = 64 << 10;

  /** Expectations of the caller about an answer. */
  interface Wanted {
    /** Returns the path for the bytes. */
    Path file();

    /** Returns the number of bytes that are there; an answer 206 must continue after them. */
    long already();

    /** Returns the Content-Encoding of those; empty if there are none. */
    String encoding();

    /** Returns the most bytes allowed. */
    long most();

    /** Returns true if any content is accepted, and not only that of stores. */
    boolean isText();

    /** Called before the first byte is written. */
    void begins(HttpHeaders headers, String encoding) throws IOException;

    /**
     * Called after each part.
     *
     * @param bytes that are there
     * @param total -1 if unknown
     */
    void comes(long bytes, long total);
  }

  private final Wanted wanted;
  private volatile long lastNanos = System.nanoTime();
  private volatile int status;
  private volatile @Nullable HttpHeaders headers;
  private volatile String failure = "";
  private volatile boolean isMismatch;
  private @Nullable OutputStream out;
  private boolean isClosed;
  private boolean isFile;
  private byte[] head = new byte[0];
  private long bytes;
  private long total = -1;
  private long skipped;
  private String encoding = "identity";

  ResponseBody(Wanted wanted) {
    this.wanted = wanted;
  }

  /** The status; 0 as long as nothing came. */
  int status() {
    return status;
  }

  /** A header of the answer. */
  Optional<String> header(String name) {
    HttpHeaders known = headers;
    return known == null ? Optional.empty() : known.firstValue(name);
  }

  /** When the last sign of the server came, as {@link System#nanoTime}. */
  long lastNanos() {
    return lastNanos;
  }

  /**
   * Returns the reason why the file was not taken, in half a sentence; empty if it was, or if there
   * is none.
   */
  String failure() {
    return failure;
  }

  /** Returns true if the server returned another range than requested. */
  boolean isMismatch() {
    return isMismatch;
  }

  /** Returns the Content-Encoding. */
  String encoding() {
    return encoding;
  }

  /** Returns the number of bytes in the file. */
  synchronized long bytes() {
    return bytes;
  }

  /** Closes the file; nothing is written after this. */
  synchronized void close() throws IOException {
    isClosed = true;
    OutputStream open = out;
    out = null;
    if (open != null) {
      open.close();
    }
  }

  /** Decides what is done with an answer, by its first lines. */
  BodySubscriber<Void> subscriber(ResponseInfo info) {
    lastNanos = System.nanoTime();
    headers = info.headers();
    isFile = info.statusCode() == 200 || info.statusCode() == 206 && continues(info.headers());
    if (isFile) {
      begin(info);
    }
    status = info.statusCode();
    Consumer<Optional<byte[]>> consumer = part -> part.ifPresent(this::accept);
    return BodySubscribers.ofByteArrayConsumer(consumer);
  }

  private boolean continues(HttpHeaders headers) {
    boolean continues =
        headers
            .firstValue("Content-Range")
            .flatMap(ContentRange::read)
            .filter(range -> wanted.already() > 0 && range.first() == wanted.already())
            .filter(_ -> encoding(headers).equals(wanted.encoding()))
            .isPresent();
    isMismatch = !continues;
    return continues;
  }

  private static String encoding(HttpHeaders headers) {
    return headers
        .firstValue("Content-Encoding")
        .map(text -> text.strip().toLowerCase(Locale.ROOT).replace("x-gzip", "gzip"))
        .filter(text -> !text.isEmpty())
        .orElse("identity");
  }

  private void begin(ResponseInfo info) {
    encoding = encoding(info.headers());
    boolean isNew = info.statusCode() == 200;
    bytes = isNew ? 0 : wanted.already();
    OptionalLong length;
    try {
      length = info.headers().firstValueAsLong("Content-Length");
    } catch (NumberFormatException e) {
      length = OptionalLong.empty();
    }
    if (length.isPresent()) {
      total = bytes + Math.max(0, length.getAsLong());
    }
    if (total > wanted.most()) {
      failure = "is larger than any file of its kind (%,d bytes)".formatted(total);
    } else if (!encoding.matches("identity|gzip|deflate")) {
      failure = "uses an unsupported Content-Encoding";
    } else {
      open(info.headers(), isNew);
    }
    if (!failure.isEmpty()) {
      isFile = false;
    }
  }

  private synchronized void open(HttpHeaders headers, boolean isNew) {
    if (isClosed) {
      return;
    }
    try {
      if (isNew) {
        wanted.begins(headers, encoding);
      }
      out =
          Files.newOutputStream(
              wanted.file(),
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE,
              isNew ? StandardOpenOption.TRUNCATE_EXISTING : StandardOpenOption.APPEND);
      wanted.comes(bytes, total);
    } catch (IOException e) {
      failure = "cannot be written: " + e.getMessage();
    }
  }

  private synchronized void accept(byte[] part) {
    lastNanos = System.nanoTime();
    if (isClosed || !failure.isEmpty()) {
      throw new IllegalStateException("nothing is waiting for it");
    }
    if (!isFile) {
      skipped += part.length;
      if (skipped > MOST_OF_A_PAGE) {
        throw new IllegalStateException("more is not read");
      }
      return;
    }
    if (bytes == head.length && head.length < DownloadKind.BYTES) {
      look(part);
    }
    if (failure.isEmpty() && bytes + part.length > wanted.most()) {
      failure = "is larger than any file of its kind (more than %,d bytes)".formatted(bytes);
    }
    OutputStream to = out;
    if (!failure.isEmpty() || to == null) {
      throw new IllegalStateException(failure);
    }
    try {
      to.write(part);
      bytes += part.length;
      wanted.comes(bytes, total);
    } catch (IOException e) {
      failure = "cannot be written: " + e.getMessage();
      throw new IllegalStateException(failure, e);
    }
  }

  /** A page in place of a file is known by its first bytes, and its rest is of no use. */
  private void look(byte[] part) {
    int from = head.length;
    int more = Math.min(DownloadKind.BYTES - from, part.length);
    head = Arrays.copyOf(head, from + more);
    System.arraycopy(part, 0, head, from, more);
    boolean enough = head.length == DownloadKind.BYTES;
    if (enough
        && !wanted.isText()
        && encoding.equals("identity")
        && DownloadKind.of(head) == DownloadKind.OTHER) {
      failure = notAFile(header("Content-Type").orElse(""));
    }
  }

  /** Returns the message for an answer that is not a file. */
  static String notAFile(String type) {
    String clean = type.replaceAll("[^\\w/+.;= -]", "");
    return "is a web page, not a file"
        + (clean.isBlank() ? "" : " (" + clean.substring(0, Math.min(60, clean.length())) + ")");
  }
}
