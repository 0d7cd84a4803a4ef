package io.ntrail.formats.pdb;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.pdb.DbiHeader.Debug;
import io.ntrail.formats.pdb.DbiHeader.Part;
import io.ntrail.formats.pdb.codeview.Symbol.Public;
import io.ntrail.formats.pdb.codeview.TypeNames;
import io.ntrail.formats.pdb.msf.MsfFile;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One PDB. Opening it reads the directory, the PDB stream and the header of DBI; everything else is
 * read on demand, and kept where it is small.
 *
 * <p>Damage becomes a {@link Gap} ({@link #gaps()}), and the damaged part is empty: a PDB with a
 * damaged module answers for the others. May be used by several threads.
 */
public final class PdbFile {
  private static final int PDB_STREAM = 1;
  private static final int DBI_STREAM = 3;

  private final MsfFile msf;
  private final PdbInfo info;
  private final Gaps gaps = new Gaps();
  private final Optional<MsfStream> dbi;
  private final Optional<DbiHeader> header;

  private final LazyValue<StringTable> names = new LazyValue<>(this::readNames);
  private final LazyValue<List<PdbModule>> modules = new LazyValue<>(this::readModules);
  private final LazyValue<SectionContributions> contributions =
      new LazyValue<>(this::readContributions);
  private final LazyValue<SourceFiles> files = new LazyValue<>(this::readFiles);
  private final LazyValue<List<PdbSection>> sections = new LazyValue<>(this::readSectionTable);
  private final LazyValue<List<PdbSection>> symbolSections =
      new LazyValue<>(this::readSymbolSections);
  private final LazyValue<Optional<PublicSymbols>> publics = new LazyValue<>(this::readPublics);
  private final LazyValue<Optional<GlobalSymbols>> globals = new LazyValue<>(this::readGlobals);

  private final LazyValue<TypeNames> typeNames = new LazyValue<>(() -> PdbTypes.names(this));

  private final LazyValue<Optional<Omap>> omapToOriginal =
      new LazyValue<>(() -> readOmap(Debug.OMAP_TO_SOURCE));
  private final LazyValue<Optional<Omap>> omapToImage =
      new LazyValue<>(() -> readOmap(Debug.OMAP_FROM_SOURCE));

  private final LazyValue<FrameData> frameData = new LazyValue<>(this::readFrameData);

  private PdbFile(MsfFile msf, MsfStream pdb) {
    this.msf = msf;
    this.info = PdbInfo.read(pdb, e -> gap("names of streams", e));
    this.dbi = stream(DBI_STREAM, "DBI stream").filter(stream -> stream.length() > 0);
    this.header =
        dbi.flatMap(stream ->
            reading("DBI stream", stream, Optional.empty(), s -> Optional.of(DbiHeader.read(s))));
    reading(
        "DBI stream",
        false,
        () -> {
          header.ifPresent(h -> h.checkLength(dbi.orElseThrow()));
          return true;
        });
  }

  /**
   * Opens a PDB. The input must stay open as long as the PDB is used.
   *
   * @throws CannotGoOn if it is none, with what it is instead, or if it has no identity
   */
  public static PdbFile open(InputFile file) {
    MsfFile msf = MsfFile.open(file);
    try {
      MsfStream stream =
          msf.stream(PDB_STREAM)
              .orElseThrow(() -> new DamagedInput(file.name(), 0, "no PDB stream"));
      return new PdbFile(msf, stream);
    } catch (DamagedInput e) {
      throw MsfFile.damaged(file, e.what());
    }
  }

  /**
   * Refuses the beginning of a file that is no PDB, before the rest of it is inflated. What passes
   * may still be none.
   *
   * @throws CannotGoOn with what it is instead
   */
  public static void refuseOthers(InputFile head) {
    MsfFile.refuseOthers(head);
  }

  /** The name of the input, for messages. */
  public String name() {
    return msf.name();
  }

  /** The container. */
  public MsfFile msf() {
    return msf;
  }

  /** The PDB stream. */
  public PdbInfo info() {
    return info;
  }

  /** The header of DBI; empty in PDBs of types alone. */
  public Optional<DbiHeader> header() {
    return header;
  }

  /** Returns the GUID, by which an image identifies this PDB. */
  public Guid guid() {
    return info.guid();
  }

  /**
   * The age that the image names: that of DBI, since the other one is raised by tools that edit the
   * PDB later; the other one only where DBI has none.
   */
  public long age() {
    return header.map(DbiHeader::age).filter(age -> age != 0).orElse(info.age());
  }

  /** Returns what could not be read so far. */
  public List<Gap> gaps() {
    return gaps.list();
  }

  /** A stream by its name, for example {@code srcsrv} or {@code sourcelink}. */
  public Optional<MsfStream> stream(String name) {
    Integer number = info.namedStreams().get(name);
    return number == null ? Optional.empty() : stream(number, name);
  }

  /** A stream of the optional debug header. */
  public Optional<MsfStream> stream(Debug content) {
    return header.flatMap(h -> stream(h.stream(content), content.name()));
  }

  /** A stream by its number; a damaged one is a gap. */
  Optional<MsfStream> stream(int number, String what) {
    try {
      return msf.stream(number);
    } catch (DamagedInput e) {
      gap(what, e);
      return Optional.empty();
    }
  }

  /** The table of names, empty if there is none. */
  public StringTable names() {
    return names.get();
  }

  private StringTable readNames() {
    return stream("/names")
        .map(stream -> reading("/names", stream, StringTable.EMPTY, StringTable::read))
        .orElse(StringTable.EMPTY);
  }

  /** Returns the modules that the program was linked from, by number. */
  public List<PdbModule> modules() {
    return modules.get();
  }

  private List<PdbModule> readModules() {
    List<PdbModule> read =
        part("modules", Part.MODULES, PdbModule::read).orElse(List.<PdbModule>of());
    BitSet seen = new BitSet();
    return read.stream().map(module -> withOwnStream(module, seen)).toList();
  }

  /** A stream belongs to one module: what names it again is damaged, and has none. */
  private PdbModule withOwnStream(PdbModule module, BitSet seen) {
    if (module.stream() < 0) {
      return module;
    }
    if (!seen.get(module.stream())) {
      seen.set(module.stream());
      return module;
    }
    gaps.add(
        new Gap(
            name(),
            dbi.map(stream -> stream.fileOffset(0)).orElse(0L),
            -1,
            "module " + module.number(),
            "its stream " + module.stream() + " belongs to another module"));
    return new PdbModule(
        module.number(), -1, 0, 0, 0, module.fileCount(), module.name(), module.object());
  }

  /** Returns the section contributions: which module contributed which bytes. */
  public SectionContributions contributions() {
    return contributions.get();
  }

  private SectionContributions readContributions() {
    return part("section contributions", Part.CONTRIBUTIONS, SectionContributions::read)
        .orElse(SectionContributions.NONE);
  }

  /** The source files of the modules. */
  public SourceFiles sourceFiles() {
    return files.get();
  }

  private SourceFiles readFiles() {
    return part("source files", Part.FILES, SourceFiles::read).orElse(SourceFiles.NONE);
  }

  /** Returns the sections of the image; see {@link #hasSectionTable} for their source. */
  public List<PdbSection> sections() {
    return sections.get();
  }

  /**
   * Returns true if it has the image's section table. Else the places of sections follow from their
   * sizes.
   */
  public boolean hasSectionTable() {
    return stream(Debug.SECTION_HEADERS).isPresent();
  }

  private List<PdbSection> readSectionTable() {
    return hasSectionTable()
        ? readSections(Debug.SECTION_HEADERS)
        : part("section map", Part.SECTION_MAP, PdbSection::ofMap).orElse(List.of());
  }

  /**
   * The sections that addresses of symbols are counted in: those from before the image was
   * rearranged, if it was, else those of the image. Empty if they are damaged: the others would
   * give wrong addresses.
   */
  public List<PdbSection> symbolSections() {
    return symbolSections.get();
  }

  private List<PdbSection> readSymbolSections() {
    return stream(Debug.ORIGINAL_SECTION_HEADERS).filter(s -> s.length() > 0).isPresent()
        ? readSections(Debug.ORIGINAL_SECTION_HEADERS)
        : sections.get();
  }

  private List<PdbSection> readSections(Debug which) {
    return stream(which)
        .map(stream -> reading(which.name(), stream, List.<PdbSection>of(), PdbSection::read))
        .orElse(List.of());
  }

  /**
   * Returns the RVA of an offset in a section, before any rearrangement.
   *
   * @return -1 if there is no such section: the symbol has no address
   */
  public long rva(int section, long offset) {
    List<PdbSection> table = symbolSections();
    return section < 1 || section > table.size() ? -1 : table.get(section - 1).rva() + offset;
  }

  /** The map from the image to the program as it was linked; empty if nothing was rearranged. */
  public Optional<Omap> omapToOriginal() {
    return omapToOriginal.get();
  }

  /** The map from the program as it was linked to the image; empty if nothing was rearranged. */
  public Optional<Omap> omapToImage() {
    return omapToImage.get();
  }

  /** Of a damaged map nothing has an address: where nothing was moved would be wrong. */
  private Optional<Omap> readOmap(Debug which) {
    int number = header.map(h -> h.stream(which)).orElse(-1);
    return reading(
        which.name(),
        Optional.of(Omap.NOTHING),
        () -> msf.stream(number).filter(stream -> stream.length() > 0).map(Omap::read));
  }

  /** The RVA in the program as it was linked for one of the image; -1 if there is none. */
  public long toOriginal(long rva) {
    Optional<Omap> omap = omapToOriginal();
    return omap.isPresent() ? omap.get().translate(rva) : rva;
  }

  /**
   * The RVA in the image of a symbol, or of its first byte that was not eliminated.
   *
   * @param length of the symbol in bytes
   * @return -1 if there is none
   */
  public long toImage(long rva, long length) {
    Optional<Omap> omap = omapToImage();
    return rva < 0 || omap.isEmpty() ? rva : omap.get().firstSurviving(rva, length);
  }

  /**
   * The RVA in the image of a public symbol, or of the first byte up to the next symbol that was
   * not eliminated.
   *
   * @return -1 if there is none
   */
  public long toImage(Public symbol) {
    long rva = rva(symbol.section(), symbol.offset());
    if (omapToImage().isEmpty()) {
      return rva;
    }
    long next = publics().map(all -> all.nextAfter(symbol.section(), symbol.offset())).orElse(-1L);
    return toImage(rva, Math.max(1, next - symbol.offset()));
  }

  /** Returns the frame data of x86 functions; empty for other machines. */
  public FrameData frameData() {
    return frameData.get();
  }

  private FrameData readFrameData() {
    return stream(Debug.FRAME_DATA)
        .map(stream ->
            reading("frame data", stream, FrameData.NONE, s -> FrameData.read(s, names())))
        .orElse(FrameData.NONE);
  }

  /** FPO_DATA of functions for x86 without frame pointers, as an image has it, too. */
  public Optional<Bytes> fpoData() {
    return stream(Debug.FPO)
        .flatMap(stream ->
            reading(
                "FPO data",
                stream,
                Optional.empty(),
                s -> Optional.of(s.window(0, (int) Math.min(s.length(), 1 << 30)))));
  }

  /** The image's function table, copied; empty if the PDB has none. */
  public Optional<UnwindDataCopy> functionTable() {
    return mapped(Debug.PDATA);
  }

  /** The image's unwind information, copied; empty if the PDB has none. */
  public Optional<UnwindDataCopy> unwindInformation() {
    return mapped(Debug.XDATA);
  }

  private Optional<UnwindDataCopy> mapped(Debug which) {
    return stream(which)
        .filter(stream -> stream.length() > 0)
        .flatMap(stream ->
            reading(
                which.name(), stream, Optional.empty(), s -> Optional.of(UnwindDataCopy.read(s))));
  }

  /** The public symbols; empty if there are none. */
  public Optional<PublicSymbols> publics() {
    return publics.get();
  }

  /** Finds them among the records if their own stream is missing or damaged. */
  private Optional<PublicSymbols> readPublics() {
    return records()
        .flatMap(records ->
            header
                .flatMap(h -> stream(h.publicsStream(), "stream of publics"))
                .flatMap(stream ->
                    reading(
                        "publics",
                        stream,
                        Optional.empty(),
                        s -> Optional.of(PublicSymbols.read(s, records, isMinimal()))))
                .or(() ->
                    reading(
                        "publics",
                        records,
                        Optional.empty(),
                        s -> Optional.of(PublicSymbols.scanned(s)))));
  }

  /**
   * One of the public symbols by its place in the order of addresses; empty if it is damaged, which
   * is a gap.
   */
  public Optional<Public> publicSymbol(int index) {
    Optional<PublicSymbols> all = publics();
    try {
      return all.isEmpty() ? Optional.empty() : Optional.of(all.get().get(index));
    } catch (DamagedInput e) {
      gap("publics", e);
      return Optional.empty();
    }
  }

  /** The global symbols; empty if there are none. */
  public Optional<GlobalSymbols> globals() {
    return globals.get();
  }

  private Optional<GlobalSymbols> readGlobals() {
    return records()
        .flatMap(records ->
            header
                .flatMap(h -> stream(h.globalsStream(), "stream of globals"))
                .flatMap(stream ->
                    reading(
                        "globals",
                        stream,
                        Optional.empty(),
                        s -> Optional.of(GlobalSymbols.read(s, records, isMinimal())))));
  }

  private Optional<MsfStream> records() {
    return header.flatMap(h -> stream(h.recordStream(), "stream of symbol records"));
  }

  /**
   * Returns true if it is of a managed program alone: places of its methods and lines are in
   * intermediate language, and no addresses of the image.
   */
  public boolean isManaged() {
    return header.filter(h -> h.machine() == DbiHeader.MANAGED).isPresent();
  }

  /**
   * Returns true if symbols were left in the object files (/DEBUG:FASTLINK): an answer is partial.
   */
  public boolean isMinimal() {
    return info.has(PdbInfo.FEATURE_MINIMAL);
  }

  /**
   * Returns the symbols of a module; empty if it has none. Not kept: {@link PdbFile} keeps no
   * streams.
   */
  public ModuleSymbols symbols(PdbModule module) {
    return new ModuleSymbols(this, module);
  }

  /** The names of types and items. */
  public TypeNames typeNames() {
    return typeNames.get();
  }

  /** The stream of a module; empty if it has none. */
  Optional<MsfStream> stream(PdbModule module) {
    return stream(module.stream(), "module " + module.number());
  }

  private <T> Optional<T> part(String what, Part part, Function<MsfStream, T> reader) {
    return dbi.flatMap(stream ->
        header.flatMap(h ->
            reading(
                what, stream, Optional.empty(), s -> Optional.of(reader.apply(h.part(s, part))))));
  }

  /** Applies a reader to a stream; if that is damaged, adds a gap and returns {@code nothing}. */
  <T> T reading(String what, MsfStream stream, T nothing, Function<MsfStream, T> reader) {
    return reading(what, nothing, () -> reader.apply(stream));
  }

  /** Applies a reader; if its data is damaged, adds a gap and returns {@code nothing}. */
  <T> T reading(String what, T nothing, Supplier<T> reader) {
    try {
      return reader.get();
    } catch (DamagedInput e) {
      gap(what, e);
      return nothing;
    }
  }

  /** Adds a gap. */
  void gap(String what, DamagedInput e) {
    gaps.add(new Gap(name(), e.offset(), -1, what, e.what()));
  }
}
