package io.ntrail.formats.pe;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.identity.FileSignature;
import io.ntrail.formats.pe.DataDirectory.Range;
import io.ntrail.formats.pe.DisjointRanges.Piece;
import io.ntrail.formats.pe.ImageView.Extent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One PE image: headers, sections and the way to its bytes. The directories are read by classes of
 * their own ({@link Exports}, {@link Imports} and so on), each from an image.
 *
 * <p>An image is looked at as the loader maps it, whatever it is read from: a file ({@link
 * #ofFile}) or memory ({@link #ofMemory}). What differs is that memory has no bytes that are not
 * mapped (certificates, overlay), and that it was relocated.
 *
 * <p>Nothing here fails because of bytes further on: what is damaged is a {@link Gap} of the image
 * ({@link #gaps()}), reported by its reader.
 */
public final class PeImage {
  /** Bound of the bytes of the file that the headers can be spread over. */
  private static final long MOST = Integer.MAX_VALUE - 15L;

  /** Directories that answers are read from. */
  private static final List<DataDirectory> READ =
      List.of(
          DataDirectory.EXPORT,
          DataDirectory.IMPORT,
          DataDirectory.RESOURCE,
          DataDirectory.EXCEPTION,
          DataDirectory.BASE_RELOCATION,
          DataDirectory.DEBUG,
          DataDirectory.TLS,
          DataDirectory.LOAD_CONFIG,
          DataDirectory.DELAY_IMPORT,
          DataDirectory.CLR);

  private static final long PAGE = 0x1000;
  private static final int SECTION = 40;
  private static final long COFF_SYMBOL = 18;
  private static final int MOST_NAME = 256;

  private final ImageView view;
  private final @Nullable InputFile file;
  private final PeHeaders headers;
  private final List<Section> sections;
  private final boolean flat;

  /** Sections by address: each belongs to the first section of the table that contains it. */
  private final List<Piece> pieces;

  private final long[] pieceBegins;
  private final Gaps gaps;

  private PeImage(
      ImageView view,
      @Nullable InputFile file,
      PeHeaders headers,
      List<Section> sections,
      Gaps gaps) {
    this.view = view;
    this.file = file;
    this.headers = headers;
    this.sections = sections;
    this.flat = isFlat(headers, sections);
    DisjointRanges ranges = new DisjointRanges();
    sections.forEach(section -> ranges.add(section.rva(), section.end()));
    this.pieces = ranges.sorted();
    this.pieceBegins = pieces.stream().mapToLong(Piece::begin).toArray();
    this.gaps = gaps;
  }

  /**
   * Opens an image in a file. The input must stay open as long as the image is used.
   *
   * @throws CannotGoOn if it is not a PE image
   */
  public static PeImage ofFile(InputFile file) {
    Gaps gaps = new Gaps();
    Bytes start = start(file);
    PeHeaders headers = PeHeaders.read(start);
    if (headers.end() > file.size()) {
      gaps.add(
          new Gap(
              file.name(),
              file.size(),
              headers.end() - file.size(),
              "headers",
              "the file ends inside them; missing bytes read as zero"));
    }
    List<Section> sections = sections(start, headers, gaps);
    List<Extent> extents = extents(file, headers, sections, gaps);
    ImageView view = ImageView.of(file.name(), extents);
    PeImage image = new PeImage(view, file, headers, sections, gaps);
    image.checkWidth();
    for (DataDirectory directory : READ) {
      if (image.isMissing(directory)) {
        image.gap(
            image.directory(directory).rva(),
            image.directory(directory).size(),
            directory.name().toLowerCase(Locale.ROOT).replace('_', ' ') + " directory",
            "the file has no bytes where the headers say that it is");
      }
    }
    return image;
  }

  /**
   * Returns true if the headers have a directory in a section that is not stored there, as in a
   * file whose section table is damaged, or that was stripped: what it has is unknown.
   */
  public boolean isMissing(DataDirectory directory) {
    Range range = directory(directory);
    return range.isPresent()
        && range.size() > 0
        && view.stored(range.rva()) == 0
        && view.zeros(range.rva()) > 0;
  }

  /**
   * Opens an image that is laid out as in memory.
   *
   * @throws CannotGoOn if no headers are there
   */
  public static PeImage ofMemory(ImageView view) {
    Gaps gaps = new Gaps();
    Bytes start;
    try {
      start = view.window(0, MOST);
    } catch (DamagedInput e) {
      throw new CannotGoOn(view.name() + " is not a PE image: its first page is missing", "");
    }
    PeHeaders headers = PeHeaders.read(start);
    PeImage image = new PeImage(view, null, headers, sections(start, headers, gaps), gaps);
    image.checkWidth();
    return image;
  }

  /** Reports headers of another width than the machine has: fields of one are not in the other. */
  private void checkWidth() {
    MachineType.isWide(headers.machine())
        .filter(wide -> wide != headers.isWide())
        .ifPresent(wide ->
            gap(
                headers.peOffset(),
                -1,
                "headers",
                (wide ? "those of 32 bits (PE32)" : "those of 64 bits (PE32+)")
                    + " for "
                    + MachineType.text(headers.machine())
                    + ", which has others: all that they name may be wrong"));
  }

  /**
   * Refuses the beginning of a file that is no image, before the rest of it is inflated. What
   * passes may still be none.
   *
   * @throws CannotGoOn if it does not start like an image
   */
  public static void refuseOthers(InputFile head) {
    if (FileSignature.of(head) != FileSignature.IMAGE) {
      PeHeaders.read(start(head));
    }
  }

  /**
   * Returns the start of a file. The headers of the smallest images extend past its end: the loader
   * reads the rest of its last page, which is zero.
   */
  private static Bytes start(InputFile file) {
    Bytes stored = file.window(0, (int) Math.min(MOST, file.size()));
    if (file.size() >= PAGE || !PeHeaders.beginsLikeOne(stored)) {
      return stored;
    }
    byte[] page = new byte[(int) PAGE];
    stored.copyTo(0, page, 0, stored.length());
    return Bytes.copyOf(page, file.name());
  }

  private static List<Section> sections(Bytes start, PeHeaders headers, Gaps gaps) {
    long at = headers.sectionTable();
    long there = Math.max(0, start.length() - at) / SECTION;
    int count = (int) Math.min(headers.sectionCount(), there);
    if (count < headers.sectionCount()) {
      gaps.add(
          new Gap(
              start.name(),
              Math.min(at, start.length()),
              -1,
              "sections",
              "the file has room for "
                  + count
                  + " of "
                  + headers.sectionCount()
                  + " rows of the section table"));
    }
    if (count == 0) {
      return List.of();
    }
    Bytes table = start.slice((int) at, count * SECTION);
    List<Section> sections = new ArrayList<>(count);
    for (int number = 1; number <= count; number++) {
      sections.add(PeHeaders.section(table, number));
    }
    return List.copyOf(sections);
  }

  /**
   * Returns what the loader maps, and where.
   *
   * <p>With a section alignment of less than a page the file is mapped as it is, unless its
   * sections are stored elsewhere than they are mapped: Windows does not load such an image, but
   * ready-to-run images for Linux are so. Else the headers come first, then the sections. The
   * pointer to raw data is rounded down to 512 whatever the file alignment says, its size up to the
   * file alignment; in memory a section ends with its last page.
   */
  private static List<Extent> extents(
      InputFile file, PeHeaders headers, List<Section> sections, Gaps gaps) {
    if (isFlat(headers, sections)) {
      long length = Math.max(1, Math.min(file.size(), MOST));
      return List.of(
          new Extent(
              0,
              Math.max(length, Math.min(pages(headers.sizeOfImage()), MOST)),
              file.window(0, (int) length)));
    }
    List<Extent> extents = new ArrayList<>();
    long header = Math.max(1, headers.sizeOfHeaders());
    extents.add(new Extent(0, pages(header), stored(file, 0, header)));
    for (Section section : sections) {
      long length = pages(section.size());
      if (length == 0) {
        continue;
      }
      long begin = section.rawOffset() & ~0x1FFL;
      // The pages that hold raw data are read as a whole, up to the end of the mapping.
      long raw = section.rawOffset() == 0 ? 0 : Math.min(length, rawLength(section, headers));
      Bytes bytes = stored(file, begin, raw);
      if (bytes.length() < Math.min(raw, section.rawSize())) {
        gaps.add(
            new Gap(
                file.name(),
                Math.min(begin, file.size()),
                Math.min(raw, section.rawSize()) - bytes.length(),
                "section " + section.name(),
                "the file ends inside the section; missing bytes read as zero"));
      }
      extents.add(new Extent(section.rva(), length, bytes));
    }
    return extents;
  }

  private static boolean isFlat(PeHeaders headers, List<Section> sections) {
    return headers.sectionAlignment() < PAGE
        && sections.stream()
            .allMatch(section -> section.rawSize() == 0 || section.rawOffset() == section.rva());
  }

  private static long rawLength(Section section, PeHeaders headers) {
    long alignment = Math.clamp(headers.fileAlignment(), 1, 0x1_0000);
    return (section.rawSize() + alignment - 1) / alignment * alignment;
  }

  private static Bytes stored(InputFile file, long offset, long length) {
    long from = Math.min(offset, file.size());
    return file.window(from, (int) Math.min(Math.min(length, file.size() - from), MOST));
  }

  private static long pages(long size) {
    return size + PAGE - 1 & -PAGE;
  }

  /** The name of the input, for messages. */
  public String name() {
    return view.name();
  }

  /** The headers. */
  public PeHeaders headers() {
    return headers;
  }

  /** The section table in its own order. */
  public List<Section> sections() {
    return sections;
  }

  /**
   * Returns the name of a section. One of more than 8 characters, which some linkers allow, is
   * stored as its offset in the string table after the COFF symbols.
   */
  public String sectionName(Section section) {
    String stored = section.name();
    if (file == null || !stored.startsWith("/") || headers.symbolTableOffset() == 0) {
      return stored;
    }
    try {
      long offset = Long.parseLong(stored.substring(1));
      long at = headers.symbolTableOffset() + COFF_SYMBOL * headers.symbolCount() + offset;
      int most = Math.clamp(file.size() - at, 0, MOST_NAME);
      return offset < 0 || most == 0 ? stored : file.window(at, most).utf8z(0, most);
    } catch (NumberFormatException _) {
      // A name that only begins like an offset is the name.
      return stored;
    }
  }

  /** The bytes by RVA. */
  public ImageView view() {
    return view;
  }

  /** The file it was read from; empty for an image in memory. */
  public Optional<InputFile> file() {
    return Optional.ofNullable(file);
  }

  /** Returns the range of a directory. */
  public Range directory(DataDirectory directory) {
    return headers.directory(directory);
  }

  /** The first section of the table that holds an RVA. */
  public Optional<Section> section(long rva) {
    int at = DisjointRanges.find(pieceBegins, rva);
    return at >= 0 && rva < pieces.get(at).end()
        ? Optional.of(sections.get(pieces.get(at).source()))
        : Optional.empty();
  }

  /** Returns true if code can run at an RVA: it is in an executable section. */
  public boolean isExecutable(long rva) {
    if (flat) {
      return view.has(rva, 1);
    }
    return section(rva).map(section -> section.is(Section.EXECUTE)).orElse(false);
  }

  /**
   * The RVA that a stored address means, or 0 for a null.
   *
   * @param address a VA at the base that the headers name
   */
  public long rva(long address) {
    return address == 0 ? 0 : address - headers.imageBase();
  }

  /** Returns what could not be read so far. */
  public List<Gap> gaps() {
    return gaps.list();
  }

  /** Remembers a stretch that could not be read. */
  public void gap(long rva, long bytes, String what, String why) {
    gaps.add(new Gap(name(), Math.max(0, view.offset(rva)), bytes, what, why));
  }

  /** Remembers a stretch of the file, mapped or not, that could not be read. */
  void fileGap(long offset, long bytes, String what, String why) {
    gaps.add(new Gap(name(), offset, bytes, what, why));
  }

  /**
   * Applies a reader to a part of the image; empty, and a gap, if the image does not hold what it
   * needs.
   */
  <T> Optional<T> reading(String what, long rva, Supplier<T> reader) {
    return reading(what, rva, Optional.empty(), () -> Optional.of(reader.get()));
  }

  /**
   * Applies a reader to a part of the image; {@code nothing}, and a gap, if the image does not hold
   * what it needs.
   *
   * @param what the part, for messages
   * @param rva start of the part
   */
  public <T> T reading(String what, long rva, T nothing, Supplier<T> reader) {
    try {
      return reader.get();
    } catch (DamagedInput e) {
      gaps.add(new Gap(name(), Math.max(0, view.offset(rva)), -1, what, e.what()));
      return nothing;
    }
  }
}
