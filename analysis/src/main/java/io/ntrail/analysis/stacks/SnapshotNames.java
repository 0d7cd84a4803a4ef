package io.ntrail.analysis.stacks;

import io.ntrail.analysis.naming.ImageFile;
import io.ntrail.analysis.naming.Images;
import io.ntrail.analysis.naming.Lifetimes;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.formats.pe.ClrHeader;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.memory.MemoryRegion;
import io.ntrail.programs.memory.MemoryRegion.Access;
import io.ntrail.programs.symbols.OpenPdb;
import io.ntrail.programs.symbols.PdbSearch;
import io.ntrail.programs.symbols.SymbolStores;
import io.ntrail.programs.symbols.SymbolizedAddress;
import io.ntrail.programs.unwind.FrameTrust;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.StackFrame;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Names for the frames of a snapshot. For one thread. */
final class SnapshotNames implements AutoCloseable {
  private static final int PROCESS = 1;

  /** Runtimes of .NET. */
  private static final Set<String> RUNTIMES =
      Set.of("coreclr.dll", "clr.dll", "mscorwks.dll", "mscorsvr.dll");

  private final ProcessSnapshot process;
  private final RecordingSymbols symbols;
  private final Map<ImageFile, Integer> numbers = new HashMap<>();
  private final IdentityHashMap<LoadedModule, Boolean> managed = new IdentityHashMap<>();

  SnapshotNames(ProcessSnapshot process, PdbSearch pdbs, SymbolStores imageFiles) {
    this.process = process;
    Images images = new Images();
    Map<ImageFile, SnapshotModule> modules = new HashMap<>();
    for (SnapshotModule module : process.moduleList()) {
      images.note(PROCESS, module.base(), 0, Lifetimes.RUNDOWN_START, module.file());
      module.pdb().ifPresent(pdb -> images.notePdb(PROCESS, module.base(), 0, pdb));
      modules.putIfAbsent(module.file(), module);
    }
    Lifetimes processes = new Lifetimes();
    processes.note(PROCESS, 0, Lifetimes.RUNDOWN_START, 0);
    processes.settle();
    images.settle(processes);
    for (int number = 0; number < images.files().size(); number++) {
      numbers.put(images.files().get(number), number);
    }
    this.symbols =
        new RecordingSymbols(images, pdbs, imageFiles)
            .withImages(file ->
                Optional.ofNullable(modules.get(file)).flatMap(module -> module.image().get()));
  }

  /** Returns the names, where they come from, and what could not be found. */
  RecordingSymbols symbols() {
    return symbols;
  }

  /** Returns the number of a module's file among the images of {@link #symbols}; -1 if unknown. */
  int number(LoadedModule module) {
    return process.describe(module).map(m -> numbers.getOrDefault(m.file(), -1)).orElse(-1);
  }

  /** Returns the PDB of a module, which is looked for; empty if it is not found. */
  Optional<PdbFile> pdb(LoadedModule module) {
    int number = number(module);
    return number < 0 ? Optional.empty() : symbols.source(number).pdb().map(OpenPdb::pdb);
  }

  /** Returns frames with names, those of inlined functions among them. */
  List<NamedFrame> name(List<StackFrame> frames) {
    List<NamedFrame> named = new ArrayList<>();
    for (int i = 0; i < frames.size(); i++) {
      long returns = i + 1 < frames.size() ? frames.get(i + 1).ip() : NamedFrame.UNKNOWN;
      name(frames.get(i), returns, named);
    }
    return named;
  }

  /** Returns the function that has the code at an address, as that of an innermost frame. */
  NamedFrame at(long address) {
    List<NamedFrame> named = new ArrayList<>();
    name(NamedFrame.of(FrameTrust.CONTEXT, address), named);
    return named.getLast();
  }

  /**
   * Code of a function.
   *
   * @param begin its first address
   * @param end the address past its last byte
   */
  record Range(long begin, long end) {}

  /** Returns the code of the function at an address; empty if its length is not known. */
  Optional<Range> range(long address) {
    Optional<LoadedModule> module = process.modules().at(address);
    int number = module.map(this::number).orElse(-1);
    if (module.isEmpty() || number < 0) {
      return Optional.empty();
    }
    long base = module.get().base();
    return symbols
        .at(number, address - base)
        .filter(symbol -> symbol.length() > 0)
        .map(symbol -> new Range(base + symbol.begin(), base + symbol.begin() + symbol.length()));
  }

  private void name(StackFrame frame, long returnAddress, List<NamedFrame> to) {
    name(NamedFrame.of(frame.trust(), frame.ip()).on(frame.sp(), returnAddress), to);
  }

  private void name(NamedFrame bare, List<NamedFrame> to) {
    Optional<LoadedModule> module = process.modules().at(bare.ip());
    if (module.isEmpty()) {
      to.add(outside(bare));
      return;
    }
    long rva = bare.ip() - module.get().base();
    int number = number(module.get());
    String name = process.describe(module.get()).map(SnapshotModule::name).orElse("");
    NamedFrame placed = bare.in(name.isEmpty() ? "(unnamed)" : name, rva);
    long before = isReturn(bare.trust()) && rva > 0 ? 1 : 0;
    Optional<SymbolizedAddress> symbol =
        number < 0 ? Optional.empty() : symbols.at(number, rva - before);
    if (symbol.isPresent()) {
      placed.addTo(to, symbol.get(), before);
    } else {
      to.add(isManaged(module.get()) ? placed.remarked("managed") : placed);
    }
  }

  /** Returns a frame that lies in no module, with what is known of its place. */
  private NamedFrame outside(NamedFrame frame) {
    if (process.dynamicFunctions().find(frame.ip()).isPresent()) {
      return frame.in(NamedFrame.JITTED, NamedFrame.UNKNOWN);
    }
    Optional<String> unloaded = process.unloadedAt(frame.ip());
    if (unloaded.isPresent()) {
      return frame.remarked("in " + unloaded.get() + ", which was unloaded");
    }
    Set<Access> access =
        process.memory().regionAt(frame.ip()).map(MemoryRegion::access).orElse(Set.of());
    if (access.contains(Access.EXECUTE) && hasRuntime()) {
      return frame.in(NamedFrame.JITTED, NamedFrame.UNKNOWN);
    }
    return frame.remarked(
        access.isEmpty() || access.contains(Access.EXECUTE)
            ? "no module"
            : "no module, memory that is not executable");
  }

  /** Returns true if the process has a runtime that compiles methods. */
  private boolean hasRuntime() {
    return process.moduleList().stream()
        .anyMatch(module -> RUNTIMES.contains(module.name().toLowerCase(Locale.ROOT)));
  }

  private boolean isManaged(LoadedModule module) {
    return managed.computeIfAbsent(
        module, asked -> asked.image().flatMap(SnapshotNames::clrHeader).isPresent());
  }

  private static Optional<ClrHeader> clrHeader(PeImage image) {
    try {
      return ClrHeader.of(image);
    } catch (DamagedInput e) {
      return Optional.empty();
    }
  }

  /** Returns true if a call returns to the address of a frame. */
  private static boolean isReturn(FrameTrust trust) {
    return trust != FrameTrust.CONTEXT && trust != FrameTrust.TRAP;
  }

  @Override
  public void close() {
    symbols.close();
  }
}
