package io.ntrail.live.plan;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.identity.CallPrototype;
import io.ntrail.formats.pe.Exports;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.live.branches.ImageSearch;
import io.ntrail.live.code.TracedCode;
import io.ntrail.live.code.TracedCode.Relative;
import io.ntrail.live.plan.SkipReason.Kind;
import io.ntrail.live.target.TargetModule;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.programs.patchability.BranchFinder;
import io.ntrail.programs.patchability.FunctionPadding;
import io.ntrail.programs.patchability.FunctionPatch;
import io.ntrail.programs.patchability.PatchRefusal;
import io.ntrail.programs.patchability.Patchability;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Plans the functions of one module.
 *
 * <p>Exits are recorded where everything is understood that this needs: the unit, its unwind data,
 * what the function does with its return address. Where only the last is missing, entries are.
 */
public final class Planner {
  private static final HexFormat HEX = HexFormat.ofDelimiter(" ").withUpperCase();

  private static final List<String> UNNAMED = List.of("");

  /** Functions for which another thread is worth its start. */
  private static final int MANY = 30;

  /** Functions that a thread takes at a time. */
  private static final int PART = 8;

  /** All code is decoded if more than one function out of so many is planned. */
  private static final int FEW = 8;

  private final PlannedModule module;
  private final PeImage image;
  private final Map<Long, String> names;
  private final Map<Long, CallPrototype> prototypes;
  private final Optional<FileCode> file;
  private final Optional<LoadConfig> config;
  private final ImageFunctions functions;
  private final ModuleRules rules;
  private final Optional<String> runtime;

  /**
   * Finds branches to some functions; null: all functions are listed, and all code may be decoded.
   */
  private final @Nullable BranchFinder finder;

  private final InstructionDecoder decoder;
  private final Instruction instruction = new Instruction();

  private Planner(PlannedModule module, PlanSymbols symbols, Optional<FileCode> file) {
    this.module = module;
    this.image = module.image();
    this.names = symbols.names();
    this.prototypes = symbols.prototypes();
    this.file = file;
    FunctionTable table = FunctionTable.of(image);
    Exports exports = Exports.of(image);
    this.config = LoadConfig.of(image);
    this.functions = ImageFunctions.of(image, exports, config, table, symbols.functions());
    this.rules = rules(table);
    this.runtime = LanguageRuntimes.of(module.module(), image, exports, names.values());
    this.finder = null;
    this.decoder = InstructionDecoder.of(rules.codeSize());
  }

  private Planner(PlannedModule module, Map<Long, String> names, FewFunctions few) {
    this.module = module;
    this.image = module.image();
    this.names = names;
    this.prototypes = Map.of();
    this.file = Optional.empty();
    this.config = few.config();
    this.functions = few.functions();
    this.rules =
        new X64Rules(image, few.table(), new ReturnAddressReads(image, few.table(), few.parts()));
    this.runtime = few.runtime();
    this.finder = few.finder();
    this.decoder = InstructionDecoder.of(rules.codeSize());
  }

  /** Shares what another planner has read, for another thread. */
  private Planner(Planner other) {
    this.module = other.module;
    this.image = other.image;
    this.names = other.names;
    this.prototypes = other.prototypes;
    this.file = other.file;
    this.config = other.config;
    this.functions = other.functions;
    this.rules = other.rules.forAnotherThread();
    this.runtime = other.runtime;
    this.finder = other.finder;
    this.decoder = InstructionDecoder.of(rules.codeSize());
  }

  private ModuleRules rules(FunctionTable table) {
    if (image.headers().machine() != MachineType.I386) {
      return new X64Rules(image, table, new ReturnAddressReads(image, table));
    }
    // Pointers in a file are made for where the file wants to lie.
    long base = image.file().isPresent() ? image.headers().imageBase() : module.module().base();
    return new Ia32Rules(image, base, functions, GnuUnwinder.of(image, names));
  }

  /** Functions that a user selects. May be used by several threads. */
  public interface Selection {
    /** Selects no function. */
    Selection NOTHING =
        new Selection() {
          @Override
          public boolean wants(TargetModule module, String name) {
            return false;
          }

          @Override
          public boolean excludes(TargetModule module, String name) {
            return true;
          }
        };

    /** Returns true if a function is selected by one of its names, or by the lack of one. */
    boolean wants(TargetModule module, String name);

    /** Returns true if it is excluded though it is selected. */
    boolean excludes(TargetModule module, String name);
  }

  /**
   * Plans the selected functions of a module.
   *
   * @param symbols of its functions, besides exports
   * @param file what should be in memory, if that is known
   * @return all selected functions, by address
   */
  public static List<PlannedFunction> plan(
      TargetModule module,
      PeImage image,
      PlanSymbols symbols,
      Optional<FileCode> file,
      Selection choice) {
    Planner planner = of(new PlannedModule(module, image), symbols, file);
    return planner.plan(planner.wanted(choice), choice);
  }

  /**
   * Reads what planning needs of a module.
   *
   * @param symbols of its functions, besides exports
   * @param file what should be in memory, if that is known
   */
  static Planner of(PlannedModule module, PlanSymbols symbols, Optional<FileCode> file) {
    return new Planner(module, symbols, file);
  }

  /**
   * Reads what planning the selected functions of a module needs that is as its file says.
   *
   * @param symbols of its functions, besides exports
   * @param search searches in the file of the module
   */
  static Planner of(
      PlannedModule module, PlanSymbols symbols, Selection choice, ImageSearch search) {
    return FewFunctions.of(module, symbols.names(), choice, search)
        .map(few -> new Planner(module, symbols.names(), few))
        .orElseGet(() -> of(module, symbols, Optional.empty()));
  }

  /** Returns the functions of the module, or those near the selected ones. */
  ImageFunctions functions() {
    return functions;
  }

  /**
   * Plans a function that tracing itself has to patch, regardless of the selection.
   *
   * @param name of an export
   * @return empty if there is none, or it cannot be patched
   */
  public static Optional<PlannedFunction> planOwn(TargetModule module, PeImage image, String name) {
    Planner planner = of(new PlannedModule(module, image), PlanSymbols.NONE, Optional.empty());
    return planner.planOwn(name, planner.exported(name));
  }

  /** Plans the function that tracing itself has to patch; empty if it is none or cannot be. */
  Optional<PlannedFunction> planOwn(String name, BitSet own) {
    if (own.isEmpty()) {
      return Optional.empty();
    }
    Patchability patchability = patchability(own);
    FunctionPatch patch = patchability.inPlace(patchability.list().get(own.nextSetBit(0)));
    return Optional.of(decide(name, List.of(), patch)).filter(PlannedFunction::isTraced);
  }

  /** Returns the index of the function with an exported name; none if there is no such export. */
  BitSet exported(String name) {
    BitSet found = new BitSet();
    for (int i = 0; i < functions.list().size() && found.isEmpty(); i++) {
      found.set(i, functions.names(i).contains(name));
    }
    return found;
  }

  private Patchability patchability(BitSet wanted) {
    Imports imports = Imports.of(image);
    if (finder != null) {
      return Patchability.of(image, functions, imports, config, wanted, finder);
    }
    return wanted.cardinality() <= Math.max(1, functions.list().size() / FEW)
        ? Patchability.of(image, functions, imports, config, wanted)
        : Patchability.of(image, functions, imports, config);
  }

  /** Plans functions, given by their indexes. */
  List<PlannedFunction> plan(BitSet wanted, Selection choice) {
    if (wanted.isEmpty()) {
      // The code of a module need not be decoded to know that.
      return List.of();
    }
    Patchability patchability = patchability(wanted);
    int[] indexes = wanted.stream().toArray();
    PlannedFunction[] planned = new PlannedFunction[indexes.length];
    AtomicInteger next = new AtomicInteger();
    int threads = Math.min(Runtime.getRuntime().availableProcessors(), 1 + indexes.length / MANY);
    List<Planner> workers = new ArrayList<>(List.of(this));
    while (workers.size() < threads) {
      workers.add(new Planner(this));
    }
    workers.parallelStream()
        .forEach(worker -> worker.plan(patchability, choice, indexes, next, planned));
    return List.of(planned);
  }

  /** Plans functions until all are taken. */
  private void plan(
      Patchability patchability,
      Selection choice,
      int[] indexes,
      AtomicInteger next,
      PlannedFunction[] planned) {
    for (int at = next.getAndAdd(PART); at < indexes.length; at = next.getAndAdd(PART)) {
      for (int i = at; i < Math.min(indexes.length, at + PART); i++) {
        planned[i] = plan(patchability, choice, indexes[i]);
      }
    }
  }

  private PlannedFunction plan(Patchability patchability, Selection choice, int index) {
    List<String> all = names(index);
    FunctionPatch patch = patchability.inPlace(patchability.list().get(index));
    String name = all.stream().filter(one -> wants(choice, one)).findFirst().orElse("");
    boolean excluded =
        all.stream()
            .anyMatch(one ->
                choice.excludes(module.module(), one)
                    || rules.aliases(one).stream()
                        .anyMatch(alias -> choice.excludes(module.module(), alias)));
    return excluded ? left(name, patch, Kind.EXCLUDED) : decide(name, all, patch);
  }

  /** Returns whether a function is selected by a name, or another way to write it. */
  private boolean wants(Selection choice, String name) {
    if (choice.wants(module.module(), name)) {
      return true;
    }
    for (String alias : rules.aliases(name)) {
      if (choice.wants(module.module(), alias)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the indexes of the selected functions. */
  BitSet wanted(Selection choice) {
    BitSet wanted = new BitSet();
    boolean isUnnamedWanted = choice.wants(module.module(), "");
    for (int i = 0; i < functions.list().size(); i++) {
      boolean isWanted = false;
      for (String name : names(i)) {
        isWanted |= name.isEmpty() ? isUnnamedWanted : wants(choice, name);
      }
      wanted.set(i, isWanted);
    }
    return wanted;
  }

  /** Returns the names of a function, best first; an empty one if it has none. */
  private List<String> names(int function) {
    List<String> exported = functions.names(function);
    String other = names.isEmpty() ? null : names.get(functions.start(function));
    if (other == null || exported.contains(other)) {
      return exported.isEmpty() ? UNNAMED : exported;
    }
    List<String> all = new ArrayList<>(exported);
    all.add(other);
    return all;
  }

  private PlannedFunction left(String name, FunctionPatch patch, Kind kind) {
    return new PlannedFunction(
        module, name, patch, Optional.empty(), Optional.of(SkipReason.of(kind)));
  }

  private String detail(FunctionPatch patch) {
    return runtime.filter(LanguageRuntimes::isGo).isPresent()
            && patch.refusal().filter(PatchRefusal.LOOPS_TO_ENTRY::equals).isPresent()
        ? "as Go code does when its stack has grown"
        : patch.detail();
  }

  private PlannedFunction decide(String name, List<String> all, FunctionPatch patch) {
    Optional<SkipReason> foreign = foreignPatch(patch);
    if (foreign.isPresent()) {
      return new PlannedFunction(module, name, patch, Optional.empty(), foreign);
    }
    if (!patch.isPossible()) {
      SkipReason why = SkipReason.of(patch.refusal().orElseThrow(), detail(patch));
      return new PlannedFunction(module, name, patch, Optional.empty(), Optional.of(why));
    }
    Optional<Kind> denied = known(all);
    if (denied.isPresent() && DenyList.isForbidden(denied.get())) {
      return left(name, patch, denied.get());
    }
    if (!patch.isInPlace() && DataInCodeHeuristics.isDoubtfulRoom(image, patch)) {
      return left(name, patch, Kind.DOUBTFUL_PADDING);
    }
    if (DataInCodeHeuristics.mayBeData(image, decoder, patch)) {
      return left(name, patch, Kind.DOUBTFUL_CODE);
    }
    long rva = patch.function().rva();
    int length = patch.unitLength();
    Bytes unit = image.view().bytes(rva, length);
    ModuleRules.Moved moved = rules.moved(patch, unit);
    Kind refused = moved.kind();
    if (refused != null) {
      return left(name, patch, refused);
    }
    Optional<SkipReason> elsewhere = denied.map(SkipReason::of).or(() -> entriesOnly(all, patch));
    TracedCode code =
        new TracedCode(
            module.module().base() + rva,
            unit.array(0, length),
            relative(unit),
            moved.prologue().codes(),
            moved.prologue().frame(),
            elsewhere.isEmpty());
    return new PlannedFunction(
        module,
        name,
        patch,
        Optional.of(code),
        elsewhere,
        Optional.ofNullable(prototypes.get(rva)));
  }

  /**
   * Looks for a patch of another tool: what would be moved or overwritten is compared with the
   * file. For a function that cannot be patched, as many bytes as other tools would have
   * overwritten.
   */
  private Optional<SkipReason> foreignPatch(FunctionPatch patch) {
    if (file.isEmpty()) {
      return Optional.empty();
    }
    long rva = patch.function().rva();
    if (!patch.isPossible()) {
      return difference(rva, (int) Math.min(FunctionPadding.JUMP, patch.function().size()));
    }
    return difference(rva, patch.unitLength())
        .or(() -> difference(patch.jumpAt(), FunctionPadding.JUMP));
  }

  private Optional<SkipReason> difference(long rva, int length) {
    if (!image.view().has(rva, length)) {
      return Optional.empty();
    }
    byte[] now = image.view().bytes(rva, length).array(0, length);
    Optional<byte[]> should = file.orElseThrow().bytes(rva, length);
    if (should.isPresent() && Arrays.equals(now, should.get())) {
      return Optional.empty();
    }
    String detail =
        "0x%x: %s, file: %s"
            .formatted(rva, HEX.formatHex(now), should.map(HEX::formatHex).orElse("nothing"));
    return Optional.of(SkipReason.of(Kind.FOREIGN_PATCH, detail));
  }

  /** Finds displacements relative to the instruction pointer. */
  private List<Relative> relative(Bytes unit) {
    List<Relative> relative = new ArrayList<>();
    for (int at = 0; at < unit.length(); ) {
      int size = decode(unit, at);
      if (instruction.isRipRelative()) {
        relative.add(new Relative(at + instruction.displacementOffset(), at + size));
      }
      at += size;
    }
    return relative;
  }

  private int decode(Bytes unit, int at) {
    int size = decoder.decode(unit, at, unit.length(), instruction);
    if (size == 0) {
      throw new IllegalStateException("a unit that does not decode");
    }
    return size;
  }

  private Optional<Kind> known(List<String> all) {
    return all.stream().map(rules::known).filter(kind -> kind != null).findFirst();
  }

  /** Returns why only the entries of a function are recorded that can be patched. */
  private Optional<SkipReason> entriesOnly(List<String> all, FunctionPatch patch) {
    if (runtime.isPresent()) {
      return Optional.of(SkipReason.of(Kind.RUNTIME, runtime.get()));
    }
    boolean unnamed = all.stream().allMatch(String::isEmpty);
    if (unnamed && module.module().stem().equalsIgnoreCase("ntdll")) {
      return Optional.of(SkipReason.of(Kind.UNNAMED_INTERNAL));
    }
    return rules.entriesOnly(patch);
  }
}
