package io.ntrail.formats.etl;

import io.ntrail.formats.identity.Guid;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Names of well-known providers, for recordings that do not tell the names of theirs.
 *
 * <p>The list is a resource beside this class, sorted by GUID. It is read at the first question and
 * searched as it is: nobody waits for a table of names of which a recording needs one or two. May
 * be used by several threads.
 */
public final class ProviderList {
  private static final String RESOURCE = "providers.tsv";
  private static final int GUID_LENGTH = 36;

  private volatile byte @Nullable [] text;

  /** Creates a list that is read on first use. */
  public ProviderList() {}

  /**
   * The name of a provider, or of the logger that writes events of a class.
   *
   * @return {@code Microsoft-Windows-WinRM}; null if the list does not have it
   */
  public @Nullable String name(Guid provider) {
    byte[] lines = text;
    if (lines == null) {
      // Threads that ask at the same time may each read it: they get the same.
      lines = read();
      text = lines;
    }
    byte[] wanted = provider.toString().getBytes(StandardCharsets.US_ASCII);
    int from = 0;
    int to = lines.length;
    while (from < to) {
      int line = start(lines, (from + to) >>> 1);
      int end = end(lines, line);
      int order = compare(lines, line, wanted);
      if (order == 0) {
        int name = line + GUID_LENGTH + 1;
        return new String(lines, name, end - name, StandardCharsets.UTF_8);
      }
      if (order < 0) {
        from = end + 1;
      } else {
        to = line;
      }
    }
    return null;
  }

  /** Returns where the line begins that has a byte. */
  private static int start(byte[] lines, int at) {
    int start = at;
    while (start > 0 && lines[start - 1] != '\n') {
      start--;
    }
    return start;
  }

  private static int end(byte[] lines, int at) {
    int end = at;
    while (lines[end] != '\n') {
      end++;
    }
    return end;
  }

  /** Compares the GUID of a line; the comment in the first line is less than any. */
  private static int compare(byte[] lines, int line, byte[] wanted) {
    for (int i = 0; i < GUID_LENGTH; i++) {
      int difference = lines[line + i] - wanted[i];
      if (difference != 0) {
        return difference;
      }
    }
    return 0;
  }

  private static byte[] read() {
    try (InputStream in = ProviderList.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalStateException("missing resource " + RESOURCE);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
