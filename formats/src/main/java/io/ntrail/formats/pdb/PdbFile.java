package io.ntrail.formats.pdb;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.pdb.DbiHeader.Debug;
import io.ntrail.formats.pdb.DbiHeader.Part;
import io.ntrail.formats.pdb.msf.MsfFile;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One PDB. Opening it reads the directory, the PDB stream and the header of DBI; everything else is
 * read when it is asked for, and kept where it is small.
 *
 * <p>What is damaged is a {@link Gap} ({@link #gaps()}), and stands for nothing: a PDB with a
 * damaged module answers for the others. May be used by several threads.
 */
public final class PdbFile {
  private static final int PDB_STREAM = 1;
  private static final int TPI_STREAM = 2;
  private static final int DBI_STREAM = 3;
  private static final int IPI_STREAM = 4;

  private final MsfFile msf;
  private final PdbInfo info;
  private final Gaps gaps = new Gaps();
  private final Optional<MsfStream> dbi;
  private final Optional<DbiHeader> header;

  private final Lazy<StringTable> names = new Lazy<>(this::readNames);
  private final Lazy<List<PdbModule>> modules = new Lazy<>(this::readModules);
  private final Lazy<SectionContributions> contributions = new Lazy<>(this::readContributions);
  private final Lazy<SourceFiles> files = new Lazy<>(this::readFiles);
  private final Lazy<List<PdbSection>> sections =
      new Lazy<>(() -> readSections(Debug.SECTION_HEADERS));
  private final Lazy<List<PdbSection>> originalSections =
      new Lazy<>(() -> readSections(Debug.ORIGINAL_SECTION_HEADERS));
  private final Lazy<Optional<PublicSymbols>> publics = new Lazy<>(this::readPublics);
  private final Lazy<Optional<GlobalSymbols>> globals = new Lazy<>(this::readGlobals);

  private PdbFile(MsfFile msf, PdbInfo info) {
    this.msf = msf;
    this.info = info;
    this.dbi = stream(DBI_STREAM, "DBI stream").filter(stream -> stream.length() > 0);
    this.header =
        dbi.flatMap(stream ->
            reading("DBI stream", stream, Optional.empty(), s -> Optional.of(DbiHeader.read(s))));
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
              .orElseThrow(() -> new DamagedInput(file.name(), 0, "there is no PDB stream"));
      return new PdbFile(msf, PdbInfo.read(stream));
    } catch (DamagedInput e) {
      throw new CannotGoOn(file.name() + " is a damaged PDB: " + e.what(), "get a new copy of it");
    }
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

  /** What an image names to find this PDB. */
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

  /** What could not be read so far. */
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

  /** The stream of types, empty if there is none. */
  Optional<MsfStream> types() {
    return stream(TPI_STREAM, "TPI stream");
  }

  /** The stream of items; before Visual C++ 11 there is none, whatever has its number. */
  Optional<MsfStream> items() {
    return info.has(PdbInfo.FEATURE_VC110) || info.has(PdbInfo.FEATURE_VC140)
        ? stream(IPI_STREAM, "IPI stream")
        : Optional.empty();
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

  /** What the program was linked from, by number. */
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
            "its stream " + module.stream() + " is that of another module"));
    return new PdbModule(
        module.number(), -1, 0, 0, 0, module.fileCount(), module.name(), module.object());
  }

  /** Which module contributed which bytes. */
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

  /** The sections of the image. */
  public List<PdbSection> sections() {
    return sections.get();
  }

  /**
   * The sections that addresses of symbols are counted in: those from before the image was
   * rearranged, if it was and they are known, else those of the image.
   */
  public List<PdbSection> symbolSections() {
    List<PdbSection> original = originalSections.get();
    return original.isEmpty() ? sections.get() : original;
  }

  private List<PdbSection> readSections(Debug which) {
    return stream(which)
        .map(stream -> reading(which.name(), stream, List.<PdbSection>of(), PdbSection::read))
        .orElse(List.of());
  }

  /**
   * The RVA of an offset in a section, before anything was rearranged.
   *
   * @return -1 if there is no such section: the symbol has no address
   */
  public long rva(int section, long offset) {
    List<PdbSection> table = symbolSections();
    return section < 1 || section > table.size() ? -1 : table.get(section - 1).rva() + offset;
  }

  /** The public symbols; empty if there are none. */
  public Optional<PublicSymbols> publics() {
    return publics.get();
  }

  private Optional<PublicSymbols> readPublics() {
    return records()
        .flatMap(records -> {
          Optional<MsfStream> stream =
              header.flatMap(h -> stream(h.publicsStream(), "stream of publics"));
          return reading(
              "publics",
              stream.orElse(records),
              Optional.empty(),
              s ->
                  Optional.of(
                      stream.isPresent()
                          ? PublicSymbols.read(s, records, isMinimal())
                          : PublicSymbols.scanned(records)));
        });
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

  /** Whether symbols were left in the object files (/DEBUG:FASTLINK): an answer is partial. */
  public boolean isMinimal() {
    return info.has(PdbInfo.FEATURE_MINIMAL);
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

  /** What a reader makes of a stream, or what stands for nothing if it is damaged: then a gap. */
  <T> T reading(String what, MsfStream stream, T nothing, Function<MsfStream, T> reader) {
    return reading(what, nothing, () -> reader.apply(stream));
  }

  /** What a reader makes of something, or what stands for nothing if it is damaged: then a gap. */
  <T> T reading(String what, T nothing, Supplier<T> reader) {
    try {
      return reader.get();
    } catch (DamagedInput e) {
      gap(what, e);
      return nothing;
    }
  }

  private void gap(String what, DamagedInput e) {
    gaps.add(new Gap(name(), e.offset(), -1, what, e.what()));
  }
}
