package io.ntrail.programs.symbols;

import io.ntrail.formats.archives.ZipDirectory;
import io.ntrail.formats.archives.ZipMember;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.programs.symbols.PdbSearch.Tried;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The files in a zip: a bundle that is laid out as a store, or a recording that brings its PDBs in
 * some folder ({@code symbols/}, {@code NGENPDB/}). Nothing is unpacked but what is opened, and
 * that only as long as it is open. May be used by several threads.
 */
public final class ZipStore {
  /** Members of one name that are opened to see whether one is right. */
  private static final int MOST_CANDIDATES = 16;

  private static final long LARGE = 64L << 20;
  private static final long LARGEST_RATIO = 200;
  private static final byte[] ZIP = {'P', 'K', 3, 4};

  private final Path file;

  /** Members by the last part of their names, in lower case. */
  private @Nullable Map<String, List<String>> members;

  private String problem = "";

  /** The files of a zip, which is read when the first is looked for. */
  public ZipStore(Path file) {
    this.file = file;
  }

  /** Returns true if a file starts like a zip. */
  public static boolean isZip(Path file) {
    if (!Files.isRegularFile(file)) {
      return false;
    }
    try (InputStream in = Files.newInputStream(file)) {
      return Arrays.equals(in.readNBytes(ZIP.length), ZIP);
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns its path. */
  public Path file() {
    return file;
  }

  private synchronized Map<String, List<String>> members() {
    Map<String, List<String>> known = members;
    if (known == null) {
      known = new HashMap<>();
      try (InputFile zip = InputFile.map(file, file.toString())) {
        for (ZipMember member : ZipDirectory.read(zip).members()) {
          if (!isBomb(member)) {
            String[] parts = parts(member.name());
            known
                .computeIfAbsent(parts[parts.length - 1], _ -> new ArrayList<>())
                .add(member.name());
          }
        }
      } catch (DamagedInput e) {
        problem = file + " cannot be read as a zip: " + e.what();
      } catch (IOException e) {
        problem = file + " cannot be read as a zip: " + e.getMessage();
      } catch (CannotGoOn e) {
        problem = e.message();
      }
      members = known;
    }
    return known;
  }

  /** Symbols are never so alike that much comes out of little. */
  private static boolean isBomb(ZipMember member) {
    return member.size() > LARGE
        && member.size() / LARGEST_RATIO > Math.max(1, member.packedSize());
  }

  private static String[] parts(String member) {
    return member.toLowerCase(Locale.ROOT).split("[/\\\\]", -1);
  }

  /**
   * Looks for a file: by name and key, else by its name alone, in any folder.
   *
   * @param tried receives what was tried
   */
  <T extends FileRequest.Opened> Optional<T> find(FileRequest<T> sought, List<Tried> tried) {
    StoreKey key = sought.key();
    String name = key.name().toLowerCase(Locale.ROOT);
    List<String> named = members().getOrDefault(name, List.of());
    List<String> candidates = new ArrayList<>();
    named.stream().filter(member -> isAt(key, parts(member))).forEach(candidates::add);
    named.stream().filter(member -> !candidates.contains(member)).forEach(candidates::add);
    for (String member : candidates.subList(0, Math.min(MOST_CANDIDATES, candidates.size()))) {
      try {
        return Optional.of(sought.open(file, member, file.toString()));
      } catch (CannotGoOn e) {
        tried.add(Tried.refused(file + "!/" + LocalPath.printable(member), e));
      }
    }
    if (candidates.isEmpty()) {
      String why = problem.isEmpty() ? file + " has no " + key : problem;
      tried.add(new Tried(file.toString(), false, why));
    }
    return Optional.empty();
  }

  private static boolean isAt(StoreKey key, String[] parts) {
    int last = parts.length - 1;
    return last >= 2
        && parts[last - 1].equals(key.key().toLowerCase(Locale.ROOT))
        && parts[last - 2].equals(key.name().toLowerCase(Locale.ROOT));
  }
}
