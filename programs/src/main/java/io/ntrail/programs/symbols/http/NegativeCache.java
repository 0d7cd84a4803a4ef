package io.ntrail.programs.symbols.http;

import io.ntrail.programs.symbols.SymbolPath.Store.Http;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Negative cache: the servers that do not have a file, as {@code foo.pdb.missing} in the folder of
 * its key, one line each with time, address and reason. Programs share it; the last writer wins,
 * and what is lost then is requested once more.
 *
 * @param lines the newest last
 */
record NegativeCache(List<Line> lines) {
  private static final int MOST_BYTES = 64 << 10;
  private static final int MOST_LINES = 32;
  private static final int MOST_WHY = 500;

  /**
   * One server.
   *
   * @param when time of the request
   * @param server its address without secrets
   * @param isThere whether it has a file, which is not the right one
   * @param why in a sentence
   */
  record Line(Instant when, String server, boolean isThere, String why) {}

  /** Copies the list. */
  NegativeCache {
    lines = List.copyOf(lines);
  }

  /** Reads the cache in a folder; empty if that cannot be read. */
  static NegativeCache in(Path folder, String name) {
    Path file = folder.resolve(name + ".missing");
    if (!Files.isRegularFile(file)) {
      return new NegativeCache(List.of());
    }
    try (InputStream in = Files.newInputStream(file)) {
      return read(in.readNBytes(MOST_BYTES));
    } catch (IOException e) {
      return new NegativeCache(List.of());
    }
  }

  /** Reads the bytes of such a file; lines that are none are passed over. */
  static NegativeCache read(byte[] bytes) {
    List<Line> lines = new ArrayList<>();
    for (String text : new String(bytes, StandardCharsets.UTF_8).lines().toList()) {
      String[] parts = text.split("\t", -1);
      if (parts.length != 4 || text.chars().anyMatch(c -> c < ' ' && c != '\t' || c == 0x7F)) {
        continue;
      }
      try {
        Instant when = Instant.parse(parts[0]);
        boolean isThere = parts[2].equals("wrong");
        if (!parts[3].isBlank() && (isThere || parts[2].equals("none"))) {
          lines.add(new Line(when, parts[1], isThere, parts[3]));
        }
      } catch (DateTimeException e) {
        // No line of ours.
      }
    }
    return new NegativeCache(lines.subList(Math.max(0, lines.size() - MOST_LINES), lines.size()));
  }

  /**
   * Returns the answer of a server within some time before now; empty if the clock was put back.
   */
  Optional<Line> of(URI server, Instant now, Duration remembered) {
    String asked = Http.text(server);
    return lines.reversed().stream()
        .filter(line -> line.server.equals(asked))
        .filter(line -> !line.when.isAfter(now) && line.when.plus(remembered).isAfter(now))
        .findFirst();
  }

  /** Returns the cache with one more answer, in place of the server's previous one. */
  NegativeCache with(URI server, Instant now, boolean isThere, String why) {
    String asked = Http.text(server);
    List<Line> all = new ArrayList<>(lines);
    all.removeIf(line -> line.server.equals(asked));
    String clean = why.replaceAll("\\p{Cc}", " ").strip();
    all.add(new Line(now, asked, isThere, clean.substring(0, Math.min(MOST_WHY, clean.length()))));
    return new NegativeCache(all.subList(Math.max(0, all.size() - MOST_LINES), all.size()));
  }

  /** The bytes of such a file. */
  byte[] text() {
    StringBuilder text = new StringBuilder();
    for (Line line : lines) {
      text.append(line.when).append('\t').append(line.server).append('\t');
      text.append(line.isThere ? "wrong" : "none").append('\t').append(line.why).append('\n');
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Writes it as a whole. If it cannot be written, servers are asked again. */
  void write(Path folder, String name) {
    try {
      long unique = ThreadLocalRandom.current().nextLong();
      Path part = folder.resolve("%s.missing.%016x.part".formatted(name, unique));
      try {
        Files.write(part, text());
        Files.move(part, folder.resolve(name + ".missing"), StandardCopyOption.ATOMIC_MOVE);
      } catch (FileSystemException e) {
        Files.deleteIfExists(part);
      }
    } catch (IOException e) {
      // A failure is not reported: the cache is only for speed.
    }
  }
}
