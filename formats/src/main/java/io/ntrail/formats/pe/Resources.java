package io.ntrail.formats.pe;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pe.DataDirectory.Range;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Resources of an image (directory 2): a tree of types, of names, and of languages, whose leaves
 * have the place of a resource's data.
 *
 * <p>A directory has 16 bytes, at 12 and 14 the numbers of entries with names and with ids; an
 * entry is {@code u32 name or id, u32 where}. With the top bit set, the first is the offset of a
 * name ({@code u16 count}, UTF-16), the second that of a directory; else of a leaf {@code u32 RVA,
 * u32 size, u32 code page, u32 0}. Offsets count from the first directory.
 *
 * <p>Loaders follow the tree as it is, so images with circular ones exist. Here a directory inside
 * itself is a gap, as is one below the third level, and the number of entries is limited.
 *
 * @param entries the types
 */
public record Resources(List<Entry> entries) {
  /** Types, names, languages. */
  private static final int LEVELS = 3;

  private static final int MOST_ENTRIES = 65_536;
  private static final int MOST_CHARS_OF_ALL = 1 << 22;
  private static final int DIRECTORY = 16;
  private static final int ENTRY = 8;
  private static final long TOP = 0x8000_0000L;

  /** RT_VERSION. */
  public static final int VERSION = 16;

  /** RT_MANIFEST. */
  public static final int MANIFEST = 24;

  private static final Map<Integer, String> TYPES =
      Map.ofEntries(
          Map.entry(1, "CURSOR"),
          Map.entry(2, "BITMAP"),
          Map.entry(3, "ICON"),
          Map.entry(4, "MENU"),
          Map.entry(5, "DIALOG"),
          Map.entry(6, "STRING"),
          Map.entry(7, "FONTDIR"),
          Map.entry(8, "FONT"),
          Map.entry(9, "ACCELERATOR"),
          Map.entry(10, "RCDATA"),
          Map.entry(11, "MESSAGETABLE"),
          Map.entry(12, "GROUP_CURSOR"),
          Map.entry(14, "GROUP_ICON"),
          Map.entry(VERSION, "VERSION"),
          Map.entry(17, "DLGINCLUDE"),
          Map.entry(19, "PLUGPLAY"),
          Map.entry(20, "VXD"),
          Map.entry(21, "ANICURSOR"),
          Map.entry(22, "ANIICON"),
          Map.entry(23, "HTML"),
          Map.entry(MANIFEST, "MANIFEST"));

  /**
   * A directory's entry.
   *
   * @param name null if it has an id
   * @param id 0 if it has a name
   * @param entries of the directory that it names; none if it is a leaf
   * @param data of a leaf, null for a directory
   */
  public record Entry(@Nullable String name, long id, List<Entry> entries, @Nullable Data data) {
    /** The name, or {@code #id}. */
    public String text() {
      return name != null ? name : "#" + id;
    }
  }

  /**
   * Place of a resource's data.
   *
   * @param rva their start
   * @param size their bytes, as stored
   * @param codePage of their text, as stored; mostly 0
   */
  public record Data(long rva, long size, long codePage) {
    /**
     * The bytes themselves.
     *
     * @throws DamagedInput if the image does not have all of them
     */
    public Bytes bytes(PeImage image) {
      Bytes found = image.view().window(rva, size);
      if (found.length() < size) {
        throw image.view().outside(rva, size);
      }
      return found;
    }
  }

  /** Reads the resources of an image. */
  public static Resources of(PeImage image) {
    Range range = image.directory(DataDirectory.RESOURCE);
    Resources none = new Resources(List.of());
    return range.isPresent() && image.view().stored(range.rva()) > 0
        ? image.reading(
            "resources",
            range.rva(),
            none,
            () ->
                new Resources(
                    new Reader(image, image.view().window(range.rva(), Integer.MAX_VALUE))
                        .directory(0, 1)))
        : image.reading("resources", range.rva(), none, () -> missing(image, range, none));
  }

  private static Resources missing(PeImage image, Range range, Resources none) {
    if (range.isPresent() && range.size() > 0 && image.view().available(range.rva()) == 0) {
      throw image.view().outside(range.rva(), range.size());
    }
    return none;
  }

  /** The name of a type as the headers have it, without RT_; {@code #99} if it has none. */
  public static String typeName(Entry type) {
    String name = type.name() == null && type.id() < 256 ? TYPES.get((int) type.id()) : null;
    return name != null ? name : type.text();
  }

  /** The entry of a type by its id. */
  public Optional<Entry> type(int id) {
    return entries.stream().filter(entry -> entry.name == null && entry.id == id).findFirst();
  }

  /** The first resource of a type, in its first language. */
  public Optional<Data> first(int type) {
    return type(type).flatMap(Resources::firstLeaf);
  }

  private static Optional<Data> firstLeaf(Entry entry) {
    Entry at = entry;
    while (at.data == null) {
      if (at.entries.isEmpty()) {
        return Optional.empty();
      }
      at = at.entries.getFirst();
    }
    return Optional.of(at.data);
  }

  /** Returns the number of resources, one in two languages counting twice. */
  public int count() {
    return count(entries);
  }

  private static int count(List<Entry> entries) {
    int count = 0;
    for (Entry entry : entries) {
      count += entry.data != null ? 1 : count(entry.entries);
    }
    return count;
  }

  /** One reading, with what it may still use up. */
  private static final class Reader {
    private final PeImage image;
    private final Bytes bytes;
    private final Set<Integer> path = new HashSet<>();

    /** Directories that overlap could make a small image have any number of them. */
    private int entriesLeft;

    private int charsLeft;

    Reader(PeImage image, Bytes bytes) {
      this.image = image;
      this.bytes = bytes;
      this.entriesLeft = Math.min(MOST_ENTRIES, 1 + bytes.length() / ENTRY);
      this.charsLeft = Math.min(MOST_CHARS_OF_ALL, bytes.length());
    }

    private void gap(int at, String why) {
      image.gap(image.directory(DataDirectory.RESOURCE).rva() + at, -1, "resources", why);
    }

    List<Entry> directory(int at, int level) {
      if (level > LEVELS) {
        gap(at, "a directory is below the language level");
        return List.of();
      }
      if (!path.add(at)) {
        gap(at, "a directory contains itself");
        return List.of();
      }
      int count = bytes.u16(at + 12) + bytes.u16(at + 14);
      int room = (bytes.length() - at - DIRECTORY) / ENTRY;
      List<Entry> entries = new ArrayList<>();
      for (int i = 0; i < Math.min(count, room) && entriesLeft > 0; i++) {
        entriesLeft--;
        Entry entry = entry(at + DIRECTORY + i * ENTRY, level);
        if (entry != null) {
          entries.add(entry);
        }
      }
      if (entriesLeft == 0) {
        gap(at, "there are more entries than their bytes can hold; the rest is skipped");
      } else if (count > room) {
        gap(
            at,
            String.format(
                Locale.ROOT, "a directory of %d entries has room for only %d", count, room));
      }
      path.remove(at);
      return List.copyOf(entries);
    }

    /** An entry, or null if what it names is not there. */
    private @Nullable Entry entry(int at, int level) {
      try {
        long key = bytes.u32(at);
        long where = bytes.u32(at + 4);
        String name = (key & TOP) != 0 ? name((int) (key & ~TOP)) : null;
        long id = (key & TOP) != 0 ? 0 : key;
        int offset = (int) (where & ~TOP);
        if ((where & TOP) != 0) {
          if (offset > bytes.length() - DIRECTORY) {
            throw new DamagedInput(
                bytes.name(), bytes.base() + at, "a directory starts past the end");
          }
          return new Entry(name, id, directory(offset, level + 1), null);
        }
        return new Entry(
            name,
            id,
            List.of(),
            new Data(bytes.u32(offset), bytes.u32(offset + 4), bytes.u32(offset + 8)));
      } catch (DamagedInput e) {
        gap(at, e.what());
        return null;
      }
    }

    private String name(int at) {
      int chars = bytes.u16(at);
      if (chars > charsLeft) {
        throw new DamagedInput(bytes.name(), bytes.base() + at, "the names are too long in total");
      }
      charsLeft -= chars;
      return bytes.utf16(at + 2, chars);
    }
  }
}
