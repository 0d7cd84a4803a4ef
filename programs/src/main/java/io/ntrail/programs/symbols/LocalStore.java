package io.ntrail.programs.symbols;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A local symbol store: a folder with files by their keys, in one tier ({@code
 * foo.pdb/KEY/foo.pdb}) or in two ({@code fo/foo.pdb/KEY/foo.pdb}, where there is a file {@code
 * index2.txt}). Lists what it has; opens nothing of that, except pointers.
 */
record LocalStore(Path root, boolean windows) {
  private static final String TWO_TIERS = "index2.txt";

  /** Something that a store or a folder has and that may be the file. */
  sealed interface Entry {
    /** Returns its path. */
    Path place();

    /**
     * A file that is there.
     *
     * @param packed whether its name is that of a compressed file
     */
    record Candidate(Path place, boolean packed) implements Entry {}

    /** A file that the store has withdrawn: what it has besides is not to be used. */
    record Withdrawn(Path place, String message) implements Entry {}

    /**
     * An entry that leads nowhere.
     *
     * @param why in a sentence
     */
    record Unusable(Path place, String why) implements Entry {}
  }

  /**
   * Returns the entries of a key, in the order in which they are to be tried. On case-insensitive
   * systems the same file may come several times under different spellings; it comes once here.
   */
  List<Entry> entries(StoreKey key) {
    List<Entry> entries = new ArrayList<>();
    List<Path> seen = new ArrayList<>();
    try {
      for (String name : key.names()) {
        for (String spelled : key.keys()) {
          Path folder = folder(name, spelled);
          if (Files.isDirectory(folder) && isNew(folder, seen)) {
            addIn(folder, key, entries);
          }
        }
      }
    } catch (InvalidPathException e) {
      entries.add(new Entry.Unusable(root, notSpelled(key)));
    }
    return entries;
  }

  /** Returns the entries of a plain folder: files by their names only, else those of a store. */
  List<Entry> plainEntries(StoreKey key, List<String> kinds) {
    List<Entry> entries = new ArrayList<>();
    List<Path> folders = new ArrayList<>(List.of(root));
    for (String kind : kinds) {
      folders.add(root.resolve("symbols").resolve(kind));
      folders.add(root.resolve(kind));
    }
    try {
      for (Path folder : folders) {
        for (String name : key.names()) {
          addFile(folder.resolve(name), false, entries);
        }
      }
    } catch (InvalidPathException e) {
      return List.of(new Entry.Unusable(root, notSpelled(key)));
    }
    entries.addAll(entries(key));
    return entries;
  }

  /** The folder in which a file of this key is to be put. */
  Path folder(StoreKey key) {
    return folder(key.name(), key.key());
  }

  private Path folder(String name, String key) {
    Path tier = Files.isRegularFile(root.resolve(TWO_TIERS)) ? root.resolve(prefix(name)) : root;
    return tier.resolve(name).resolve(key);
  }

  /** The first two characters; one, if the second one is a dot, so that it is never {@code ..}. */
  static String prefix(String name) {
    int one = name.offsetByCodePoints(0, 1);
    boolean two = one < name.length() && name.charAt(one) != '.';
    return name.substring(0, two ? name.offsetByCodePoints(one, 1) : one);
  }

  private void addIn(Path folder, StoreKey key, List<Entry> entries) {
    for (String name : key.names()) {
      addFile(folder.resolve(name), false, entries);
    }
    for (String name : key.names()) {
      addFile(folder.resolve(SafeFileName.packed(name)), true, entries);
    }
    Path pointer = folder.resolve(PointerFile.NAME);
    if (Files.isRegularFile(pointer)) {
      entries.add(followed(pointer));
    }
  }

  private Entry followed(Path pointer) {
    return switch (PointerFile.read(pointer, windows)) {
      case PointerFile.Elsewhere(Path file) when isFile(file) ->
          new Entry.Candidate(file, SafeFileName.isPacked(file.toString()));
      case PointerFile.Elsewhere(Path file) ->
          new Entry.Unusable(
              pointer, "%s points to %s, which is not a file".formatted(pointer, file));
      case PointerFile.Withdrawn(String message) ->
          new Entry.Withdrawn(
              pointer, "%s marks the file as not available: %s".formatted(pointer, message));
      case PointerFile.Unusable(String why) -> new Entry.Unusable(pointer, pointer + " " + why);
    };
  }

  private static void addFile(Path file, boolean packed, List<Entry> entries) {
    if (isFile(file) && entries.stream().noneMatch(entry -> isSame(entry.place(), file))) {
      entries.add(new Entry.Candidate(file, packed));
    }
  }

  /** Returns true if it is a file; an empty one marks a file that was not found. */
  private static boolean isFile(Path file) {
    try {
      return Files.isRegularFile(file) && Files.size(file) > 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isNew(Path folder, List<Path> seen) {
    boolean isNew = seen.stream().noneMatch(other -> isSame(other, folder));
    seen.add(folder);
    return isNew;
  }

  private static boolean isSame(Path one, Path other) {
    try {
      return Files.isSameFile(one, other);
    } catch (IOException e) {
      return false;
    }
  }

  private String notSpelled(StoreKey key) {
    return "%s cannot have %s: its name is not valid on this system"
        .formatted(root, LocalPath.printable(key.name()));
  }
}
