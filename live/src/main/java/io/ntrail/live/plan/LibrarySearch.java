package io.ntrail.live.plan;

import io.ntrail.live.target.TargetModule;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Search for libraries that a selection names, in the folders that a program may load them from.
 */
final class LibrarySearch {
  /** Files and folders that are looked at. */
  private static final int MOST_ENTRIES = 50_000;

  private static final int MOST_FOUND = 32;

  /** Bytes of all found files together. */
  private static final long MOST_BYTES = 256L << 20;

  /** Files and folders that are looked at if the selection means every module. */
  private static final int MOST_ENTRIES_OF_ANY = 10_000;

  /** Bytes of all found files together if it does: most will not be loaded. */
  private static final long MOST_BYTES_OF_ANY = 64L << 20;

  /** Endings of libraries that programs load while they run, where any module is meant. */
  private static final Set<String> LIBRARIES =
      Set.of("dll", "DLL", "node", "pyd", "ocx", "OCX", "ax", "acm", "drv", "cpl", "xll", "vst3");

  /** Name of no module: a selection that wants it names none. */
  private static final String NO_MODULE = "*?";

  private final TracePlan.Selection choice;

  /** True if the selection means every module. */
  private final boolean isAny;

  private final int mostEntries;

  private final Set<String> present = new HashSet<>();
  private final Set<Path> seen = new HashSet<>();
  private final Deque<Path> folders = new ArrayDeque<>();
  private final Set<Path> found = new LinkedHashSet<>();
  private int entries;
  private long bytes;

  /**
   * Prepares a search.
   *
   * @param present modules that are loaded, which are not searched
   */
  LibrarySearch(TracePlan.Selection choice, List<TargetModule> present) {
    this.choice = choice;
    this.isAny = choice.mayWant(new TargetModule(0, 0, NO_MODULE, NO_MODULE));
    this.mostEntries = isAny ? MOST_ENTRIES_OF_ANY : MOST_ENTRIES;
    present.forEach(module -> this.present.add(module.name().toLowerCase(Locale.ROOT)));
  }

  /**
   * Returns the libraries, those nearest to the roots first; links are not followed.
   *
   * @param roots searched with all folders below them
   * @param flat searched without, unless the selection means every module
   */
  List<Path> in(List<Path> roots, List<Path> flat) {
    if (!isAny) {
      flat.forEach(folder -> look(folder, false));
    }
    folders.addAll(roots);
    while (!folders.isEmpty() && entries < mostEntries) {
      look(folders.remove(), true);
    }
    return List.copyOf(found);
  }

  private void look(Path folder, boolean isDeep) {
    try {
      if (isDeep && !seen.add(folder.toRealPath())) {
        return;
      }
      try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
        for (Path entry : stream) {
          entries++;
          if (entries > mostEntries) {
            return;
          }
          String name = entry.getFileName().toString();
          boolean isWanted = isWanted(name);
          if (isWanted || isDeep && !name.startsWith(".")) {
            take(entry, isWanted, isDeep);
          }
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // What cannot be read is planned when it is loaded.
    }
  }

  private boolean isWanted(String name) {
    return (!isAny || LIBRARIES.contains(name.substring(name.lastIndexOf('.') + 1)))
        && choice.mayWant(new TargetModule(0, 0, name, name))
        && !present.contains(name.toLowerCase(Locale.ROOT));
  }

  private void take(Path entry, boolean isWanted, boolean isDeep) throws IOException {
    BasicFileAttributes attributes =
        Files.readAttributes(entry, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (attributes.isDirectory()) {
      if (isDeep) {
        folders.add(entry);
      }
    } else if (isWanted
        && attributes.isRegularFile()
        && found.size() < MOST_FOUND
        && bytes + attributes.size() <= (isAny ? MOST_BYTES_OF_ANY : MOST_BYTES)
        && isImage(entry)) {
      bytes += found.add(entry.toRealPath()) ? attributes.size() : 0;
    }
  }

  private static boolean isImage(Path file) throws IOException {
    try (InputStream stream = Files.newInputStream(file)) {
      byte[] magic = stream.readNBytes(2);
      return magic.length == 2 && magic[0] == 'M' && magic[1] == 'Z';
    }
  }
}
