package io.ntrail.formats.pe;

import io.ntrail.formats.collections.Neighbors;
import io.ntrail.formats.pe.DataDirectory.Range;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Exports of an image (IMAGE_EXPORT_DIRECTORY): three tables, of addresses, of names sorted by
 * bytes, and of indices into the addresses that belong to the names.
 *
 * @param module the name that the directory gives the image; empty if it cannot be read
 * @param timestamp of the directory, often not a time
 * @param ordinalBase what is added to an index to make an ordinal
 * @param functionCount rows of the address table as stored, the unused ones included
 * @param nameCount rows of the name table as stored
 * @param list by ordinal, then in the order of names; unused rows are left out
 */
public record Exports(
    String module,
    long timestamp,
    int majorVersion,
    int minorVersion,
    long ordinalBase,
    long functionCount,
    long nameCount,
    List<Export> list) {
  /** No directory, or one that cannot be read. */
  public static final Exports NONE = new Exports("", 0, 0, 0, 0, 0, 0, List.of());

  private static final int MOST_CHARS = 4096;
  private static final int MOST_CHARS_OF_ALL = 1 << 25;

  /**
   * One export. An address with several names is several exports.
   *
   * @param ordinal biased, as importers use it
   * @param name null: exported by ordinal only
   * @param rva of the function or data; of a forwarded one that of the text
   * @param forward {@code MODULE.Name} or {@code MODULE.#ordinal}, null if it is not forwarded
   */
  public record Export(long ordinal, @Nullable String name, long rva, @Nullable String forward) {
    /** Of a forwarded export the module without extension: all before the last dot. */
    public String forwardModule() {
      return forward == null ? "" : forward.substring(0, Math.max(0, forward.lastIndexOf('.')));
    }

    /** Returns the name or {@code #ordinal} of a forwarded export: the part after the last dot. */
    public String forwardName() {
      return forward == null ? "" : forward.substring(forward.lastIndexOf('.') + 1);
    }
  }

  /** Reads them. */
  public static Exports of(PeImage image) {
    Range range = image.directory(DataDirectory.EXPORT);
    if (!range.isPresent()) {
      return NONE;
    }
    return image.reading("exports", range.rva(), NONE, () -> new Reader(image, range).read());
  }

  /**
   * Offers the addresses of all exports that are not forwarded, without keeping them.
   *
   * @return the first name at the floor, {@code #ordinal} for one without; empty if the floor was
   *     there before
   */
  public static Optional<String> nearest(PeImage image, Neighbors nearest) {
    Range range = image.directory(DataDirectory.EXPORT);
    return range.isPresent()
        ? image.reading(
            "exports",
            range.rva(),
            Optional.empty(),
            () -> new Reader(image, range).nearest(nearest))
        : Optional.empty();
  }

  private static final class Reader {
    private final PeImage image;
    private final ImageView view;
    private final Range range;
    private final Map<Long, List<String>> names = new HashMap<>();

    /** Hostile names overlap: together they could be longer than any memory. */
    private int charsLeft = MOST_CHARS_OF_ALL;

    /** Texts of which the end was not read. */
    private long cut;

    Reader(PeImage image, Range range) {
      this.image = image;
      this.view = image.view();
      this.range = range;
    }

    Exports read() {
      long at = range.rva();
      long base = view.u32(at + 0x10);
      long functions = view.u32(at + 0x14);
      long nameCount = view.u32(at + 0x18);
      readNames(view.u32(at + 0x20), view.u32(at + 0x24), nameCount, functions);
      Exports exports =
          new Exports(
              image.reading("name of the exports", at, "", () -> text(view.u32(at + 0xC))),
              view.u32(at + 4),
              view.u16(at + 8),
              view.u16(at + 0xA),
              base,
              functions,
              nameCount,
              list(base, view.u32(at + 0x1C), functions));
      if (cut > 0) {
        image.gap(at, -1, "texts of the exports", cut + " are too long: their ends are left out");
      }
      return exports;
    }

    Optional<String> nearest(Neighbors nearest) {
      long at = range.rva();
      long table = view.u32(at + 0x1C);
      long known = Math.min(view.u32(at + 0x14), view.stored(table) / 4);
      long floor = -1;
      for (long i = 0; i < known; i++) {
        long rva = view.u32(table + 4 * i);
        // An unused row is 0 and has no name.
        boolean counts = rva != 0 ? !range.contains(rva) : firstName(i).isPresent();
        if (counts && nearest.offer(rva)) {
          floor = i;
        }
      }
      long ordinal = view.u32(at + 0x10) + floor;
      return floor < 0
          ? Optional.empty()
          : Optional.of(firstName(floor).orElseGet(() -> "#" + ordinal));
    }

    /** Returns the first of the names of a row of the address table. */
    private Optional<String> firstName(long row) {
      long namesAt = view.u32(range.rva() + 0x20);
      long rowsAt = view.u32(range.rva() + 0x24);
      long count = view.u32(range.rva() + 0x18);
      long known = Math.min(count, Math.min(view.stored(namesAt) / 4, view.stored(rowsAt) / 2));
      for (long i = 0; i < known; i++) {
        if (view.u16(rowsAt + 2 * i) == row && view.has(view.u32(namesAt + 4 * i), 1)) {
          return Optional.of(text(view.u32(namesAt + 4 * i)));
        }
      }
      return Optional.empty();
    }

    private void readNames(long namesAt, long ordinalsAt, long count, long functions) {
      long known = Math.min(count, Math.min(view.stored(namesAt) / 4, view.stored(ordinalsAt) / 2));
      if (known < count) {
        image.gap(
            namesAt,
            -1,
            "names of the exports",
            "the image has room for " + known + " of " + count + " names");
      }
      long missing = 0;
      long rowless = 0;
      for (long i = 0; i < known; i++) {
        if (charsLeft <= 0) {
          cut += known - i;
          break;
        }
        long nameAt = view.u32(namesAt + 4 * i);
        long index = view.u16(ordinalsAt + 2 * i);
        if (index >= functions) {
          rowless++;
        } else if (view.has(nameAt, 1)) {
          names.computeIfAbsent(index, _ -> new ArrayList<>(1)).add(text(nameAt));
        } else {
          missing++;
        }
      }
      if (missing > 0) {
        image.gap(
            namesAt,
            -1,
            "names of the exports",
            missing + " of " + count + " names are outside the image");
      }
      if (rowless > 0) {
        image.gap(
            ordinalsAt,
            -1,
            "names of the exports",
            rowless + " of " + count + " names belong to no row of the address table");
      }
    }

    private List<Export> list(long base, long at, long count) {
      long known = Math.min(count, view.stored(at) / 4);
      if (known < count) {
        image.gap(
            at, -1, "exports", "the image has room for " + known + " of " + count + " addresses");
      }
      List<Export> list = new ArrayList<>();
      // A dump may lack pages of an image, which its header counts all the same.
      long end = Math.max(image.headers().sizeOfImage(), lastRva());
      long outside = 0;
      for (long i = 0; i < known; i++) {
        long rva = view.u32(at + 4 * i);
        outside += rva >= end ? 1 : 0;
        List<String> called = names.getOrDefault(i, List.of());
        if (rva == 0 && called.isEmpty()) {
          continue;
        }
        String forward = forward(rva);
        if (called.isEmpty()) {
          list.add(new Export(base + i, null, rva, forward));
        }
        for (String name : called) {
          list.add(new Export(base + i, name, rva, forward));
        }
      }
      if (outside > 0) {
        image.gap(at, -1, "exports", outside + " of " + count + " addresses are outside the image");
      }
      return List.copyOf(list);
    }

    private long lastRva() {
      List<ImageView.Extent> extents = view.extents();
      return extents.isEmpty() ? 0 : extents.getLast().end();
    }

    private @Nullable String forward(long rva) {
      if (!range.contains(rva)) {
        return null;
      }
      return view.has(rva, 1) ? text(rva) : "";
    }

    private String text(long rva) {
      int most = Math.min(MOST_CHARS, charsLeft);
      String text = view.text(rva, most);
      charsLeft -= text.length();
      cut += isCut(rva, most, text) ? 1 : 0;
      return text;
    }

    /** Returns true if a text, of characters of at most four bytes, goes on. */
    private boolean isCut(long rva, int most, String text) {
      if (text.length() < most / 4 || !view.has(rva, most + 1L)) {
        return false;
      }
      for (int i = 0; i <= most; i++) {
        if (view.u8(rva + i) == 0) {
          return false;
        }
      }
      return true;
    }
  }
}
