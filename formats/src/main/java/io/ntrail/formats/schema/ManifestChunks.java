package io.ntrail.formats.schema;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.identity.Guid;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Joins the manifests that {@code EventSource}s send into a recording in pieces: events of id
 * 0xFFFE, opcode 0xFE and task 0xFFFE. Each is u8 format (1: XML), u8 major and u8 minor version,
 * u8 0x5B, u16 number of pieces, u16 number of this one from 0, UTF-8.
 *
 * <p>The pieces of one manifest come from one thread, in order or not; other threads' may be
 * between them. A provider may send its manifest several times: the last whole one counts. One
 * thread at a time.
 */
public final class ManifestChunks {
  /** The id of the events. */
  public static final int ID = 0xFFFE;

  private static final int HEADER = 8;
  private static final int FORMAT_XML = 1;
  private static final int MAGIC = 0x5B;
  private static final int MAX_BYTES = 64 << 20;
  private static final int MAX_SENDERS = 1024;
  private static final int MAX_PROBLEMS = 100;

  private record Sender(Guid provider, int process, int thread) {
    // Written out: those that a record makes of itself at run time cost a start milliseconds.
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Sender that
          && process == that.process
          && thread == that.thread
          && provider.equals(that.provider);
    }

    @Override
    public int hashCode() {
      return 31 * (31 * provider.hashCode() + process) + thread;
    }
  }

  /** The chunks of one manifest so far. */
  private static final class Pieces {
    final int total;
    final int version;
    final Map<Integer, byte[]> parts = new HashMap<>();
    int bytes;

    Pieces(int total, int version) {
      this.total = total;
      this.version = version;
    }
  }

  /**
   * A whole manifest.
   *
   * @param provider who sent it
   * @param xml its text, for {@link Manifest#parseSent}
   */
  public record Text(Guid provider, String xml) {}

  private final Map<Sender, Pieces> pending = new LinkedHashMap<>();
  private final Map<Guid, Text> finished = new LinkedHashMap<>();
  private final Map<Guid, Integer> finishedBytes = new HashMap<>();
  private final List<String> problems = new ArrayList<>();
  private long held;

  /** Empty. */
  public ManifestChunks() {}

  /**
   * Takes one event.
   *
   * @param provider of its header
   * @param process of its header
   * @param thread of its header
   * @param at where its payload begins
   * @param length bytes of its payload
   */
  public void add(Guid provider, int process, int thread, Bytes bytes, int at, int length) {
    if (length < HEADER
        || !bytes.has(at, length)
        || bytes.u8(at) != FORMAT_XML
        || bytes.u8(at + 3) != MAGIC) {
      problem(provider, "an event with id 0xFFFE that is not a manifest chunk");
      return;
    }
    int version = bytes.u16(at + 1);
    int total = bytes.u16(at + 4);
    int number = bytes.u16(at + 6);
    if (number >= total) {
      problem(provider, "chunk " + number + " of a manifest of " + total + " chunks");
      return;
    }
    Sender sender = new Sender(provider, process, thread);
    Pieces pieces = pending.get(sender);
    boolean goesOn =
        pieces != null
            && pieces.total == total
            && pieces.version == version
            && !pieces.parts.containsKey(number);
    if (pieces != null && !goesOn) {
      giveUp(sender, pieces);
    }
    if (pieces == null || !goesOn) {
      pieces = new Pieces(total, version);
    }
    int size = length - HEADER;
    if (held + size > MAX_BYTES || !goesOn && pending.size() == MAX_SENDERS) {
      problem(provider, "too many incomplete manifests");
      if (goesOn) {
        giveUp(sender, pieces);
      }
      return;
    }
    pieces.parts.put(number, bytes.array(at + HEADER, size));
    pieces.bytes += size;
    held += size;
    pending.put(sender, pieces);
    if (pieces.parts.size() == total) {
      pending.remove(sender);
      finish(provider, pieces);
    }
  }

  private void finish(Guid provider, Pieces pieces) {
    byte[] all = new byte[pieces.bytes];
    int at = 0;
    for (int i = 0; i < pieces.total; i++) {
      byte[] part = pieces.parts.getOrDefault(i, new byte[0]);
      System.arraycopy(part, 0, all, at, part.length);
      at += part.length;
    }
    finished.put(provider, new Text(provider, new String(all, StandardCharsets.UTF_8)));
    Integer replaced = finishedBytes.put(provider, all.length);
    held -= replaced == null ? 0 : replaced;
  }

  private void giveUp(Sender sender, Pieces pieces) {
    pending.remove(sender);
    held -= pieces.bytes;
    problem(sender.provider(), missing(pieces));
  }

  private static String missing(Pieces pieces) {
    return "only " + pieces.parts.size() + " of the " + pieces.total + " chunks of its manifest";
  }

  private void problem(Guid provider, String what) {
    if (problems.size() < MAX_PROBLEMS) {
      problems.add("provider " + provider + ": " + what);
    }
  }

  /** The last whole manifest of every provider that sent one. */
  public Collection<Text> finished() {
    return List.copyOf(finished.values());
  }

  /** The last whole manifest of a provider; null if it sent none. */
  public @Nullable Text finished(Guid provider) {
    return finished.get(provider);
  }

  /** Returns what could not be joined, and what still misses chunks; no more than some hundreds. */
  public List<String> problems() {
    List<String> all = new ArrayList<>(problems);
    for (Map.Entry<Sender, Pieces> entry : pending.entrySet()) {
      if (all.size() >= 2 * MAX_PROBLEMS) {
        break;
      }
      all.add("provider " + entry.getKey().provider() + ": " + missing(entry.getValue()));
    }
    return List.copyOf(all);
  }
}
