package io.ntrail.formats.pe.build;

import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.pe.DataDirectory;
import io.ntrail.formats.pe.DataDirectory.Range;
import io.ntrail.formats.pe.DebugDirectory;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.Section;
import io.ntrail.formats.pe.build.PeSectionContent.Place;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Builds programs and libraries: sections whose bytes the caller writes, and the directories made
 * from what was declared (imports, exports, functions, load configuration, ...). Places have names;
 * whatever refers to a place, in code or in a table, is filled in at the end, and what holds an
 * address gets its base relocation.
 *
 * <pre>
 * PeBuilder image = PeBuilder.program(Machine.AMD64).imports("kernel32.dll", "ExitProcess");
 * image.code().label("main").code(0x48, 0x83, 0xEC, 0x28, 0xB9, 7, 0, 0, 0)
 *     .code(0xFF, 0x15).relative("kernel32.dll!ExitProcess");
 * byte[] file = image.entry("main").build().file();
 * </pre>
 *
 * <p>The same declarations give the same bytes. Imported functions are named {@code
 * module!function} or {@code module!#ordinal}: the pointer through which they are called.
 *
 * <p>Source of the layout: "PE Format" of Microsoft's documentation.
 */
public final class PeBuilder {
  private static final int OPTIONAL32 = 224;
  private static final int OPTIONAL64 = 240;
  private static final int SECTION = 40;
  private static final int PE_OFFSET = 0x80;
  private static final int PAGE = 0x1000;

  /** Message that the DOS stub prints. */
  private static final String STUB = "This is a program for Windows.\r\n$";

  private static final int READ_DATA = 0x40 | Section.READ;

  /** A section that is being built. */
  record Piece(String name, int characteristics, PeSectionContent part) {}

  private final int machine;
  private final boolean wide;
  private final List<Piece> pieces = new ArrayList<>();
  private final Map<String, Place> places = new HashMap<>();
  private final Map<DataDirectory, Named> directories = new LinkedHashMap<>();
  private final PeTables tables = new PeTables(this);
  private final List<byte[]> certificates = new ArrayList<>();
  private byte[] overlay = {};
  private byte[] rich = {};
  private int characteristics;
  private int dllCharacteristics =
      PeHeaders.DYNAMIC_BASE | PeHeaders.NX_COMPAT | PeHeaders.HIGH_ENTROPY_VA;
  private long base;
  private int subsystem = 3;
  private int sectionAlignment = PAGE;
  private int fileAlignment = 0x200;
  private long timestamp;
  private String entry = "";

  /** A directory that starts at a label. */
  private record Named(String label, long size) {}

  private PeBuilder(int machine, boolean dll) {
    this.machine = machine;
    this.wide = machine != MachineType.I386 && machine != MachineType.ARMNT;
    this.base = dll ? (wide ? 0x1_8000_0000L : 0x1000_0000L) : wide ? 0x1_4000_0000L : 0x40_0000L;
    this.characteristics = 2 | (wide ? 0x20 : 0x100) | (dll ? PeHeaders.DLL : 0);
    if (!wide) {
      dllCharacteristics &= ~PeHeaders.HIGH_ENTROPY_VA;
    }
  }

  /** A program. */
  public static PeBuilder program(int machine) {
    return new PeBuilder(machine, false);
  }

  /** A library. */
  public static PeBuilder library(int machine) {
    return new PeBuilder(machine, true);
  }

  /** An image that is done. */
  public static final class Built {
    private final byte[] file;
    private final Map<String, Long> labels;

    Built(byte[] file, Map<String, Long> labels) {
      this.file = file;
      this.labels = labels;
    }

    /** The bytes of the file. */
    public byte[] file() {
      return file.clone();
    }

    /**
     * Returns the RVA of a label.
     *
     * @throws IllegalArgumentException if there is no such label
     */
    public long rva(String label) {
      Long rva = labels.get(label);
      if (rva == null) {
        throw new IllegalArgumentException("no place named " + label);
      }
      return rva;
    }
  }

  int pointerBytes() {
    return wide ? 8 : 4;
  }

  int machine() {
    return machine;
  }

  void place(String name, Place place) {
    if (places.putIfAbsent(name, place) != null) {
      throw new IllegalStateException("two places are named " + name);
    }
  }

  /** Returns a number that grows with the place of a label. */
  long order(String name) {
    Place place = places.get(name);
    if (place == null) {
      throw new IllegalStateException("no place is named " + name);
    }
    for (int i = 0; i < pieces.size(); i++) {
      if (pieces.get(i).part == place.part()) {
        return (long) i << 32 | place.at();
      }
    }
    throw new IllegalStateException("not a section of this image");
  }

  /** Returns the section of a name; made with these IMAGE_SCN_ flags on first use. */
  public PeSectionContent section(String name, int flags) {
    for (Piece piece : pieces) {
      if (piece.name.equals(name)) {
        return piece.part;
      }
    }
    PeSectionContent part = new PeSectionContent(this);
    pieces.add(new Piece(name, flags, part));
    return part;
  }

  /** The section {@code .text}. */
  public PeSectionContent code() {
    return section(".text", Section.CODE | Section.EXECUTE | Section.READ);
  }

  /** The section {@code .rdata}. */
  public PeSectionContent constants() {
    return section(".rdata", READ_DATA);
  }

  /** The section {@code .data}. */
  public PeSectionContent data() {
    return section(".data", READ_DATA | Section.WRITE);
  }

  /** Sets the entry point: the start of a program, the DllMain of a library. */
  public PeBuilder entry(String label) {
    entry = label;
    return this;
  }

  /** The address where it would like to be. */
  public PeBuilder base(long address) {
    if ((address & 0xFFFF) != 0) {
      throw new IllegalArgumentException("not a multiple of 64 KiB");
    }
    base = address;
    return this;
  }

  /** 2 with windows, 3 in a console (what it is by default), 1 a driver. */
  public PeBuilder subsystem(int number) {
    subsystem = number;
    return this;
  }

  /** TimeDateStamp, 0 by default. */
  public PeBuilder timestamp(long stamp) {
    timestamp = stamp;
    return this;
  }

  /** IMAGE_DLLCHARACTERISTICS_; by default those that a linker of today sets. */
  public PeBuilder dllCharacteristics(int flags) {
    dllCharacteristics = flags;
    return this;
  }

  /** It can be nowhere but at its base: no relocations are stored. */
  public PeBuilder fixed() {
    characteristics |= PeHeaders.RELOCS_STRIPPED;
    dllCharacteristics &= ~(PeHeaders.DYNAMIC_BASE | PeHeaders.HIGH_ENTROPY_VA);
    return this;
  }

  /**
   * Sets the alignment of sections in memory and in the file. With less than a page both must be
   * equal, and the file is mapped as it is.
   */
  public PeBuilder alignment(int inMemory, int inFile) {
    boolean pages = inMemory >= PAGE && inFile >= 0x200 && inFile <= 0x1_0000 && inFile <= inMemory;
    boolean flat = inMemory < PAGE && inMemory == inFile && inMemory >= 1;
    if (Integer.bitCount(inMemory) != 1 || Integer.bitCount(inFile) != 1 || !pages && !flat) {
      throw new IllegalArgumentException("no loader takes " + inMemory + " and " + inFile);
    }
    sectionAlignment = inMemory;
    fileAlignment = inFile;
    return this;
  }

  /** A directory that was written by hand. */
  public PeBuilder directory(DataDirectory directory, String label, long size) {
    directories.put(directory, new Named(label, size));
    return this;
  }

  /** Sets the bytes between the DOS program and the PE headers, a multiple of 8 bytes. */
  public PeBuilder rich(byte[] bytes) {
    if (bytes.length % 8 != 0) {
      throw new IllegalArgumentException("not a multiple of 8");
    }
    rich = bytes.clone();
    return this;
  }

  /** Appends bytes after the last section. */
  public PeBuilder overlay(byte[] bytes) {
    overlay = bytes.clone();
    return this;
  }

  /** The content of a certificate, for the end of the file. */
  public PeBuilder certificate(byte[] content) {
    certificates.add(content.clone());
    return this;
  }

  /** Imports functions of a module, by name or as {@code #ordinal}. */
  public PeBuilder imports(String module, String... functions) {
    tables.imports(module, List.of(functions));
    return this;
  }

  /**
   * Imports functions whose addresses were written into the file before.
   *
   * @param stamp of the module that they are right for
   * @param addresses by the name of the function
   * @param forwarders stamps of the modules that it forwards to, by name
   */
  public PeBuilder boundImports(
      String module, long stamp, Map<String, Long> addresses, Map<String, Long> forwarders) {
    tables.bound(module, stamp, new LinkedHashMap<>(addresses), new LinkedHashMap<>(forwarders));
    return this;
  }

  /**
   * Imports functions at their first call.
   *
   * @param addresses whether the table holds addresses instead of RVAs, as up to Visual C++ 6
   * @param loader the place that a call goes to as long as the function was not loaded
   */
  public PeBuilder delayImports(
      String module, boolean addresses, String loader, String... functions) {
    tables.delayed(module, addresses, loader, List.of(functions));
    return this;
  }

  /** The name of the library, for its exports. */
  public PeBuilder name(String library) {
    tables.library(library);
    return this;
  }

  /** Exports a place by name. */
  public PeBuilder exports(String function, String label) {
    tables.export(0, function, label, "");
    return this;
  }

  /** Exports a place by an ordinal, and by name if there is one. */
  public PeBuilder exports(int ordinal, @Nullable String function, String label) {
    tables.export(ordinal, function, label, "");
    return this;
  }

  /** Exports what another module exports, as {@code module.function} or {@code module.#ordinal}. */
  public PeBuilder forwards(String function, String target) {
    tables.export(0, function, "", target);
    return this;
  }

  /** Declares a function of x64 between two places. */
  public PeBuilder function(String begin, String end, UnwindInfoBuilder unwind) {
    tables.function(begin, end, unwind);
    return this;
  }

  /** The size of the load configuration, which is 0 as long as none is wanted. */
  public PeBuilder loadConfig(int size) {
    tables.loadConfigSize(size);
    return this;
  }

  /** A field of the load configuration. */
  public PeBuilder configure(LoadConfig.Field field, long value) {
    tables.configure(field, value, "");
    return this;
  }

  /** A field of the load configuration that holds the address of a place. */
  public PeBuilder configure(LoadConfig.Field field, String label) {
    tables.configure(field, 0, label);
    return this;
  }

  /**
   * Declares thread-local storage.
   *
   * @param begin label of the initial content
   * @param end label past it
   * @param index label of the slot for the TLS index
   * @param zeros bytes of zeros that follow the content
   * @param callbacks functions that are called when a thread starts or ends
   */
  public PeBuilder tls(String begin, String end, String index, long zeros, String... callbacks) {
    tables.tls(begin, end, index, zeros, List.of(callbacks));
    return this;
  }

  /** A resource; types and names are texts, or {@code #number}. */
  public PeBuilder resource(String type, String name, int language, byte[] content) {
    tables.resource(type, name, language, content);
    return this;
  }

  /** An entry of the debug directory. */
  public PeBuilder debug(int type, byte[] content) {
    tables.debug(type, content);
    return this;
  }

  /** Adds the debug directory entry that identifies the image's PDB. */
  public PeBuilder pdb(Guid guid, int age, String path) {
    PeSectionContent content = new PeSectionContent(this);
    content.u32(0x5344_5352).u64(guid.low()).u64(guid.high()).u32(age).text(path);
    return debug(DebugDirectory.CODEVIEW, content.content());
  }

  /**
   * Builds it; once.
   *
   * @throws IllegalStateException if a place that is used has no name, or is too far away
   */
  public Built build() {
    tables.write();
    PeLayout layout = new PeLayout(sectionAlignment, fileAlignment, base, wide);
    byte[] bound = tables.boundDirectory();
    boolean relocates = (characteristics & PeHeaders.RELOCS_STRIPPED) == 0;
    // The relocations come last, since what they say depends on where all others lie.
    int sections = pieces.size() + (relocates && layout.hasRelocations(pieces) ? 1 : 0);
    int peOffset = PE_OFFSET + rich.length;
    int table = peOffset + PeHeaders.FILE_HEADER + (wide ? OPTIONAL64 : OPTIONAL32);
    int boundAt = table + SECTION * sections;
    layout.headers(boundAt + bound.length);
    for (Piece piece : pieces) {
      layout.add(piece);
    }
    if (sections > pieces.size()) {
      Piece relocations =
          new Piece(".reloc", READ_DATA | Section.DISCARDABLE, new PeSectionContent(this));
      layout.relocations(pieces, relocations.part());
      String label = PeTables.label(DataDirectory.BASE_RELOCATION);
      place(label, new Place(relocations.part(), 0));
      directory(DataDirectory.BASE_RELOCATION, label, relocations.part().size());
      pieces.add(relocations);
      layout.add(relocations);
    }
    Map<String, Long> labels = new HashMap<>();
    places.forEach((name, place) -> labels.put(name, layout.rva(place)));
    byte[] file = layout.file(pieces, labels, overlay, certificates);
    PeFileHeaders headers = new PeFileHeaders(file, peOffset, wide);
    headers.dos(STUB, rich);
    headers.file(machine, sections, timestamp, characteristics);
    headers.optional(
        base,
        entry.isEmpty() ? 0 : layout.known(labels, entry),
        sectionAlignment,
        fileAlignment,
        subsystem,
        dllCharacteristics);
    headers.sizes(layout, pieces);
    tables
        .directories()
        .forEach((directory, label) -> directories.putIfAbsent(directory, sized(label)));
    directories.forEach((directory, named) ->
        headers.directory(directory, new Range(layout.known(labels, named.label), named.size)));
    if (bound.length > 0) {
      System.arraycopy(bound, 0, file, boundAt, bound.length);
      headers.directory(DataDirectory.BOUND_IMPORT, new Range(boundAt, bound.length));
    }
    if (!certificates.isEmpty()) {
      headers.directory(DataDirectory.CERTIFICATE, layout.certificates());
    }
    headers.sections(table, layout, pieces);
    headers.checksum();
    return new Built(file, Map.copyOf(labels));
  }

  private Named sized(PeTables.Sized table) {
    return new Named(table.label(), table.size());
  }
}
