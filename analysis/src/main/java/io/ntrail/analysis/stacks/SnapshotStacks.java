package io.ntrail.analysis.stacks;

import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.programs.symbols.PdbSearch;
import io.ntrail.programs.symbols.SymbolStores;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.programs.unwind.StackLimits;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.programs.unwind.x64.StackWalker;
import io.ntrail.programs.unwind.x64.VirtualUnwinder;
import io.ntrail.programs.unwind.x86.PdbFrameData;
import io.ntrail.programs.unwind.x86.X86Walker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The stacks of a snapshot's threads, walked and named: x64 by unwind data, x86 by frame data of
 * PDBs and images, code and frame pointers. Each is walked when it is asked for. For one thread.
 */
public final class SnapshotStacks implements AutoCloseable {
  /** Frames of all stacks together: no process has so many, but a file can claim them. */
  static final int MOST_FRAMES = 1 << 18;

  private final ProcessSnapshot process;
  private final SnapshotNames names;
  private final Optional<VirtualUnwinder> unwinder;
  private final Optional<StackWalker> walker64;
  private @Nullable X86Walker walker86;
  private int walkedFrames;

  /**
   * @param pdbs where PDBs are looked for
   * @param images where images are looked for whose PDB is not found, and that the snapshot has not
   */
  public SnapshotStacks(ProcessSnapshot process, PdbSearch pdbs, SymbolStores images) {
    this.process = process;
    this.names = new SnapshotNames(process, pdbs, images);
    this.unwinder =
        process.is64Bit()
            ? Optional.of(
                new VirtualUnwinder(
                    process.memory(),
                    process.modules(),
                    process.dynamicFunctions(),
                    process.behavior()))
            : Optional.empty();
    this.walker64 = unwinder.map(StackWalker::new);
  }

  /** Returns the process. */
  public ProcessSnapshot process() {
    return process;
  }

  /** Returns the names, where they come from, and what could not be found. */
  public RecordingSymbols symbols() {
    return names.symbols();
  }

  /** Returns the unwinder of x64, with the rules that walks used; empty for x86. */
  public Optional<VirtualUnwinder> unwinder() {
    return unwinder;
  }

  /**
   * Returns the numbers of the images that the stacks of some threads lie in, those with the most
   * frames first. To be asked before stacks are: no PDB is looked for.
   */
  public List<Integer> images(List<SnapshotThread> threads) {
    Map<Integer, Integer> frames = new HashMap<>();
    int walked = 0;
    for (SnapshotThread thread : threads) {
      if (walked >= MOST_FRAMES) {
        break;
      }
      List<StackFrame> stack = walk(thread, false).frames();
      walked += stack.size();
      for (StackFrame frame : stack) {
        process
            .modules()
            .at(frame.ip())
            .map(names::number)
            .filter(number -> number >= 0)
            .ifPresent(number -> frames.merge(number, 1, Integer::sum));
      }
    }
    return frames.entrySet().stream()
        .sorted(
            Map.Entry.<Integer, Integer>comparingByValue(Comparator.reverseOrder())
                .thenComparing(Map.Entry.comparingByKey()))
        .map(Map.Entry::getKey)
        .toList();
  }

  /**
   * Looks for the PDBs of the stacks of some threads at once, and downloads them if the search path
   * names servers. Without this call each is looked for when it is first needed.
   *
   * @param wait how long servers may take; null: until all have answered
   */
  public void fetchNames(List<SnapshotThread> threads, @Nullable Duration wait) {
    names.symbols().prepare(images(threads), wait);
  }

  /**
   * Returns the stack of a thread; without frames if those that were asked for before have more
   * than a process can have.
   */
  public ThreadStack stack(SnapshotThread thread) {
    StackWalk walk =
        walkedFrames < MOST_FRAMES
            ? walk(thread, true)
            : new StackWalk(
                List.of(),
                StackWalk.End.TOO_MANY,
                "the stacks before it have more than %,d frames".formatted(MOST_FRAMES));
    walkedFrames += walk.frames().size();
    return new ThreadStack(
        thread, names.name(walk.frames()), walk.frames(), walk.end(), walk.why(), activity(thread));
  }

  /**
   * Returns the handlers of a stack in the order in which an exception in its innermost frame would
   * come to them: what would be asked and, when frames are left, run.
   */
  public List<HandlerStep> handlers(ThreadStack stack) {
    StackHandlers handlers = new StackHandlers(process, names);
    return unwinder.isPresent() ? handlers.x64(stack, unwinder.get()) : handlers.x86(stack);
  }

  /** Compares a stack with the shadow stack of its thread; empty if that is unknown. */
  public Optional<ShadowStackCheck> shadowStack(ThreadStack stack) {
    long pointer = stack.thread().shadowStack();
    return pointer == 0
        ? Optional.empty()
        : Optional.of(ShadowStackCheck.of(process.memory(), stack.walked(), pointer));
  }

  /**
   * Returns an address with its names, as that of an instruction that runs: the function that has
   * the code last.
   */
  public NamedFrame at(long address) {
    return names.at(address);
  }

  /** Returns what a thread did, which takes no walk. */
  public ThreadActivity activity(SnapshotThread thread) {
    if (thread.start().isEmpty()) {
      return ThreadActivity.NO_REGISTERS;
    }
    FrameRegisters registers = thread.start().get();
    if (process.memory().readUpTo(registers.sp(), 1).length() == 0) {
      return ThreadActivity.NO_STACK;
    }
    return SystemCalls.isBehind(process.memory(), registers.ip())
        ? ThreadActivity.WAITS
        : ThreadActivity.RUNS;
  }

  private StackWalk walk(SnapshotThread thread, boolean withPdbs) {
    if (thread.start().isEmpty()) {
      return new StackWalk(List.of(), StackWalk.End.UNSUPPORTED, thread.whyNot());
    }
    FrameRegisters registers = thread.start().get();
    StackLimits limits =
        thread.hasLimits() ? new StackLimits(thread.low(), thread.high()) : StackLimits.UNKNOWN;
    if (walker64.isPresent()) {
      return walker64.get().walk(registers, process.memory(), limits);
    }
    X86Walker walker = withPdbs ? walker86() : walker86(_ -> Optional.empty());
    return walker.walk(registers, limits);
  }

  private X86Walker walker86() {
    X86Walker known = walker86;
    if (known == null) {
      known = walker86(names::pdb);
      walker86 = known;
    }
    return known;
  }

  private X86Walker walker86(Function<LoadedModule, Optional<PdbFile>> pdbs) {
    IdentityHashMap<LoadedModule, PdbFrameData> tables = new IdentityHashMap<>();
    return new X86Walker(
        process.memory(),
        process.modules(),
        module ->
            tables.computeIfAbsent(
                module, asked -> new PdbFrameData(pdbs.apply(asked), asked.image())));
  }

  /** Returns what was wrong with the frame data that walks of x86 used. */
  public List<String> problems() {
    return walker86 == null ? List.of() : walker86.problems();
  }

  /** Returns the modules of the process. */
  public List<StackModule> modules() {
    List<StackModule> modules = new ArrayList<>();
    process.moduleList().forEach(module -> modules.add(module.toStackModule()));
    return modules;
  }

  @Override
  public void close() {
    names.close();
  }
}
