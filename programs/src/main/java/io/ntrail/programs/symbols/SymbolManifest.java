package io.ntrail.programs.symbols;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.identity.PdbId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * List of files to fetch elsewhere, on a machine that has access to servers. A text: a first line
 * with its kind, then one line per file with name, key and place in a store, with tabs between
 * them. Lines that start with {@code #} are comments.
 *
 * @param keys the files, the most important ones first
 */
public record SymbolManifest(List<StoreKey> keys) {
  private static final String FIRST = "# ntrail symbol manifest 1";
  private static final int MOST_BYTES = 16 << 20;
  private static final Pattern PDB = Pattern.compile("([0-9A-Fa-f]{32})([0-9A-Fa-f]{1,8})");
  private static final Pattern IMAGE = Pattern.compile("([0-9A-Fa-f]{8})([0-9A-Fa-f]{1,8})");

  /** Copies the list. */
  public SymbolManifest {
    keys = List.copyOf(keys);
  }

  /** Returns true if a file starts like a manifest. */
  public static boolean isManifest(Path file) {
    if (!Files.isRegularFile(file)) {
      return false;
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] head = in.readNBytes(FIRST.length());
      return new String(head, StandardCharsets.UTF_8).equals(FIRST);
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Reads one.
   *
   * @throws CannotGoOn if it is none, or a line names no file of a store
   */
  public static SymbolManifest read(Path file) {
    OutputFile.noteRead(file);
    try (InputStream in = Files.newInputStream(file)) {
      return read(in.readNBytes(MOST_BYTES), file.toString());
    } catch (IOException e) {
      throw new CannotGoOn(file + " cannot be read: " + e.getMessage(), "");
    }
  }

  /**
   * Reads its bytes.
   *
   * @param file for messages
   * @throws CannotGoOn if it is none, or a line names no file of a store
   */
  static SymbolManifest read(byte[] bytes, String file) {
    List<String> lines = new String(bytes, StandardCharsets.UTF_8).lines().toList();
    if (lines.isEmpty() || !lines.getFirst().strip().equals(FIRST)) {
      throw new CannotGoOn(file + " is not a symbol manifest", "ntrail symbols FILE --manifest");
    }
    List<StoreKey> keys = new ArrayList<>();
    for (int i = 1; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      String[] parts = line.split("\t", -1);
      try {
        keys.add(new StoreKey(parts[0], parts.length > 1 ? parts[1].strip() : ""));
      } catch (IllegalArgumentException e) {
        throw new CannotGoOn(
            "%s: line %,d is not a store file name and key".formatted(file, i + 1),
            "expected NAME, a tab, and the store key");
      }
    }
    return new SymbolManifest(keys.stream().distinct().toList());
  }

  /** The text of such a file. */
  public String text() {
    StringBuilder text = new StringBuilder(FIRST).append('\n');
    text.append("# fetch these where servers can be asked:\n");
    text.append("#   ntrail symbols THIS-FILE --fetch --server URL --bundle symbols.zip\n");
    text.append("# and use them where they are missing: -y symbols.zip\n");
    for (StoreKey key : keys) {
      text.append(key.name()).append('\t').append(key.key()).append('\t').append(key).append('\n');
    }
    return text.toString();
  }

  /** Returns the request for a PDB's key; empty if it is the key of something else. */
  public static Optional<PdbRequest> pdb(StoreKey key) {
    return Optional.of(PDB.matcher(key.key()))
        .filter(match -> match.matches() && !match.group(2).equalsIgnoreCase("ffffffff"))
        .map(match ->
            new PdbRequest(
                key,
                new PdbId(guid(match.group(1)), Long.parseLong(match.group(2), 16)),
                List.of()));
  }

  /** Returns the request for an image's key; empty if it is the key of something else. */
  public static Optional<ImageFileRequest> image(StoreKey key) {
    return Optional.of(IMAGE.matcher(key.key()))
        .filter(match -> match.matches() && !key.name().toLowerCase(Locale.ROOT).endsWith(".pdb"))
        .map(match ->
            new ImageFileRequest(
                key,
                new ImageId(Long.parseLong(match.group(1), 16), Long.parseLong(match.group(2), 16)),
                List.of()));
  }

  private static Guid guid(String digits) {
    return Guid.parse(digits.replaceFirst("(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5"));
  }
}
