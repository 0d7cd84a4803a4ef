package io.ntrail.testkit.described;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Joins the pieces of the manifests that EventSource providers send as events of the id 0xFFFE.
 * Pieces come in order for each provider, process and thread.
 */
public final class ManifestJoiner {
  private static final int HEADER = 8;

  private record Sender(String provider, long pid, long tid) {}

  private static final class Pieces {
    private final ByteArrayOutputStream text = new ByteArrayOutputStream();
    private int next;
  }

  private final Map<Sender, Pieces> open = new HashMap<>();

  /** Creates an empty joiner. */
  public ManifestJoiner() {}

  /**
   * One more piece.
   *
   * @return the whole text if this was the last piece, else null
   */
  public @Nullable String add(String provider, long pid, long tid, byte[] payload) {
    if (payload.length < HEADER || payload[0] != 1 || payload[3] != 0x5B) {
      return null;
    }
    PayloadReader header = new PayloadReader(payload, 4);
    int total = header.u16();
    int number = header.u16();
    Sender sender = new Sender(provider, pid, tid);
    if (number == 0) {
      open.put(sender, new Pieces());
    }
    Pieces pieces = open.get(sender);
    if (pieces == null || pieces.next != number) {
      open.remove(sender);
      return null;
    }
    pieces.text.write(payload, HEADER, payload.length - HEADER);
    pieces.next++;
    if (pieces.next < total) {
      return null;
    }
    open.remove(sender);
    return pieces.text.toString(UTF_8);
  }
}
