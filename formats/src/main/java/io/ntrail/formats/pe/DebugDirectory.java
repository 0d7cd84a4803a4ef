package io.ntrail.formats.pe;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.pe.DataDirectory.Range;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The debug directory (IMAGE_DEBUG_DIRECTORY, 28 bytes an entry): which PDB belongs to the image,
 * and what compiler and linker left for tools.
 *
 * @param isWhole whether {@code entries} are all that the image has
 */
public record DebugDirectory(List<Entry> entries, boolean isWhole) {
  private static final int ENTRY = 28;
  private static final int MOST_ENTRIES = 4096;
  private static final int MOST_CHARS = 32_768;
  private static final String WHAT = "debug directory";

  /** IMAGE_DEBUG_TYPE_CODEVIEW. */
  public static final int CODEVIEW = 2;

  /** IMAGE_DEBUG_TYPE_FPO: an array of FPO_DATA. */
  public static final int FPO = 3;

  /** IMAGE_DEBUG_TYPE_MISC: the name of a {@code .dbg} file. */
  public static final int MISC = 4;

  /** IMAGE_DEBUG_TYPE_VC_FEATURE. */
  public static final int VC_FEATURE = 12;

  /** IMAGE_DEBUG_TYPE_POGO: the groups that sections consist of. */
  public static final int POGO = 13;

  /** IMAGE_DEBUG_TYPE_ILTCG: made by incremental link-time code generation. */
  public static final int ILTCG = 14;

  /** IMAGE_DEBUG_TYPE_REPRO: a reproducible build; time stamps are hashes. */
  public static final int REPRO = 16;

  /** IMAGE_DEBUG_TYPE_PDBCHECKSUM. */
  public static final int PDB_CHECKSUM = 19;

  /** IMAGE_DEBUG_TYPE_EX_DLLCHARACTERISTICS. */
  public static final int EX_DLLCHARACTERISTICS = 20;

  /** IMAGE_DLLCHARACTERISTICS_EX_CET_COMPAT. */
  public static final int CET_COMPAT = 1;

  /** IMAGE_DLLCHARACTERISTICS_EX_HOTPATCH_COMPATIBLE. */
  public static final int HOTPATCH_COMPATIBLE = 0x80;

  private static final List<String> TYPES =
      List.of(
          "UNKNOWN",
          "COFF",
          "CODEVIEW",
          "FPO",
          "MISC",
          "EXCEPTION",
          "FIXUP",
          "OMAP_TO_SRC",
          "OMAP_FROM_SRC",
          "BORLAND",
          "BBT",
          "CLSID",
          "VC_FEATURE",
          "POGO",
          "ILTCG",
          "MPX",
          "REPRO",
          "EMBEDDED_PORTABLE_PDB",
          "SPGO",
          "PDBCHECKSUM",
          "EX_DLLCHARACTERISTICS",
          "PERFMAP");

  /**
   * One entry.
   *
   * @param type IMAGE_DEBUG_TYPE_
   * @param size bytes of its data
   * @param rva their address; 0: not mapped
   * @param offset their offset in the file
   * @param data the bytes that are there, at most {@code size}; null: none can be read
   */
  public record Entry(
      long characteristics,
      long timestamp,
      int majorVersion,
      int minorVersion,
      long type,
      long size,
      long rva,
      long offset,
      @Nullable Bytes data) {
    /** {@code CODEVIEW}; a type without a name as its number. */
    public String typeText() {
      return type < TYPES.size() ? TYPES.get((int) type) : Long.toString(type);
    }
  }

  /** Place of the symbols, usually a PDB (a CODEVIEW entry). */
  public sealed interface CodeView {
    /** Returns the path of the PDB as the linker wrote it; may be a bare name. */
    String path();

    /** {@code RSDS}: PDB 7. */
    record Pdb70(Guid guid, long age, String path) implements CodeView {}

    /**
     * {@code NB10}: PDB 2.
     *
     * @param signature the time when the PDB was made, in seconds since 1970
     */
    record Pdb20(long signature, long age, String path) implements CodeView {}

    /** {@code MTOC}: the symbols of a program that was no PE image at first. */
    record Mtoc(Guid guid, String path) implements CodeView {}

    /** Symbols in the image itself ({@code NB09}, {@code NB11}), or something unknown. */
    record Other(String signature) implements CodeView {
      @Override
      public String path() {
        return "";
      }
    }
  }

  /**
   * Counters of a VC_FEATURE entry.
   *
   * @param beforeVc11 objects of compilers before Visual C++ 11
   * @param cpp objects of C and C++
   * @param gs objects with /GS
   * @param sdl objects with /sdl
   * @param guardN objects with control flow guard
   */
  public record VcFeature(long beforeVc11, long cpp, long gs, long sdl, long guardN) {}

  /**
   * A group of a POGO entry: a stretch that the linker put together from one kind of section.
   *
   * @param name such as {@code .text$mn}
   */
  public record Group(long rva, long size, String name) {}

  /** Reads the entries. */
  public static DebugDirectory of(PeImage image) {
    Range range = image.directory(DataDirectory.DEBUG);
    if (!range.isPresent()) {
      return new DebugDirectory(List.of(), true);
    }
    List<Entry> entries = new ArrayList<>();
    boolean isWhole = image.reading(WHAT, range.rva(), false, () -> read(image, range, entries));
    DebugDirectory directory = new DebugDirectory(List.copyOf(entries), isWhole);
    directory.checkCodeView(image, range);
    return directory;
  }

  private static boolean read(PeImage image, Range range, List<Entry> entries) {
    ImageView view = image.view();
    // In memory it may be in several pieces; in a file zeros of the loader would be no entries.
    long there =
        image.file().isPresent()
            ? view.stored(range.rva()) + ENTRY - 1
            : view.available(range.rva());
    long count = Math.min(Math.min(range.size(), there) / ENTRY, MOST_ENTRIES);
    boolean isWhole = count * ENTRY >= range.size();
    if (!isWhole && !image.isMissing(DataDirectory.DEBUG)) {
      image.gap(
          range.rva() + ENTRY * count,
          range.size() - ENTRY * count,
          WHAT,
          range.size() + " bytes, of which " + count + " entries of 28 bytes can be read");
    }
    for (long i = 0; i < count; i++) {
      long at = range.rva() + ENTRY * i;
      long size = view.u32(at + 16);
      long rva = view.u32(at + 20);
      long offset = view.u32(at + 24);
      entries.add(
          new Entry(
              view.u32(at),
              view.u32(at + 4),
              view.u16(at + 8),
              view.u16(at + 10),
              view.u32(at + 12),
              size,
              rva,
              offset,
              data(image, at, size, rva, offset)));
    }
    return isWhole;
  }

  /** Reports the first entry that should name a PDB and does not, if no other one does. */
  private void checkCodeView(PeImage image, Range range) {
    if (isCodeViewKnown()) {
      return;
    }
    for (int i = 0; i < entries.size(); i++) {
      Bytes data = entries.get(i).data;
      if (entries.get(i).type == CODEVIEW && data != null) {
        image.gap(
            range.rva() + (long) ENTRY * i,
            ENTRY,
            WHAT,
            "the " + data.length() + " bytes of a CODEVIEW entry name no PDB");
        return;
      }
    }
  }

  /** From a file by offset, since not all of it is mapped; from memory by RVA. */
  private static @Nullable Bytes data(PeImage image, long at, long size, long rva, long offset) {
    if (size == 0) {
      return null;
    }
    Optional<InputFile> file = image.file();
    long there =
        file.isPresent() ? Math.max(0, file.get().size() - offset) : image.view().stored(rva);
    int length = (int) Math.min(Math.min(size, there), Integer.MAX_VALUE - 15);
    if (length < size && !(file.isEmpty() && rva == 0)) {
      image.gap(
          at,
          ENTRY,
          WHAT,
          "an entry claims " + size + " bytes, but only " + length + " are available");
    }
    if (length == 0 || file.isEmpty() && rva == 0) {
      return null;
    }
    return file.isPresent() ? file.get().window(offset, length) : image.view().window(rva, length);
  }

  /** The first entry of a type that has data. */
  public Optional<Entry> first(int type) {
    return entries.stream().filter(entry -> entry.type == type && entry.data != null).findFirst();
  }

  /** Returns true if there is an entry of a type. */
  public boolean has(int type) {
    return entries.stream().anyMatch(entry -> entry.type == type);
  }

  /** The symbols' identity, of the first entry that has one. */
  public Optional<CodeView> codeView() {
    for (Entry entry : entries) {
      if (entry.type == CODEVIEW && entry.data != null && entry.data.length() >= 4) {
        try {
          return Optional.of(codeView(entry.data));
        } catch (DamagedInput _) {
          // An entry that is too short names nothing; another one may.
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Returns true if what {@link #codeView} says is so; false if an entry that may name a PDB could
   * not be read.
   */
  public boolean isCodeViewKnown() {
    CodeView view = codeView().orElse(null);
    if (view instanceof CodeView.Other(String signature)) {
      // The symbols of old compilers lie in the image.
      return signature.startsWith("NB");
    }
    return view != null
        || isWhole && entries.stream().noneMatch(entry -> entry.type == CODEVIEW && entry.size > 0);
  }

  private static CodeView codeView(Bytes data) {
    return switch (data.i32(0)) {
      case 0x53445352 ->
          new CodeView.Pdb70(Guid.read(data, 4), data.u32(0x14), data.utf8z(0x18, end(data)));
      case 0x3031424E ->
          new CodeView.Pdb20(data.u32(8), data.u32(0xC), data.latin1z(0x10, end(data)));
      case 0x434F544D -> new CodeView.Mtoc(Guid.read(data, 4), data.utf8z(0x14, end(data)));
      default -> new CodeView.Other(data.latin1z(0, 4));
    };
  }

  private static int end(Bytes data) {
    return Math.min(data.length(), MOST_CHARS);
  }

  /** The flags of an EX_DLLCHARACTERISTICS entry, 0 if there is none. */
  public long exDllCharacteristics() {
    return first(EX_DLLCHARACTERISTICS)
        .map(Entry::data)
        .filter(data -> data.length() >= 4)
        .map(data -> data.u32(0))
        .orElse(0L);
  }

  /** Returns false if there may be such flags, but could not be read. */
  public boolean isExDllCharacteristicsKnown() {
    return first(EX_DLLCHARACTERISTICS).map(Entry::data).filter(d -> d.length() >= 4).isPresent()
        || isWhole && entries.stream().noneMatch(entry -> entry.type == EX_DLLCHARACTERISTICS);
  }

  /** Returns the counters of the VC_FEATURE entry. */
  public Optional<VcFeature> vcFeature() {
    return first(VC_FEATURE)
        .map(Entry::data)
        .filter(data -> data.length() >= 20)
        .map(data ->
            new VcFeature(data.u32(0), data.u32(4), data.u32(8), data.u32(12), data.u32(16)));
  }

  /** The hash of a REPRO entry; empty if there is none or it has no hash. */
  public Optional<byte[]> reproHash() {
    return first(REPRO)
        .map(Entry::data)
        .filter(data -> data.length() >= 4)
        .map(data -> data.array(4, (int) Math.min(data.u32(0), data.length() - 4L)));
  }

  /** The groups of a POGO entry, as many as can be read. */
  public List<Group> groups() {
    List<Group> groups = new ArrayList<>();
    first(POGO)
        .map(Entry::data)
        .ifPresent(data -> {
          int at = 4;
          while (data.has(at, 9)) {
            int length = data.byteStringLength(at + 8, data.length());
            groups.add(
                new Group(data.u32(at), data.u32(at + 4), data.latin1z(at + 8, at + 8 + length)));
            at += 8 + (length + 1 + 3 & ~3);
          }
        });
    return List.copyOf(groups);
  }
}
