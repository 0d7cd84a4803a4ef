package io.ntrail.live.trace;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pe.Exports;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.code.FrameDescriptions;
import io.ntrail.live.patch.TracingMemory;
import io.ntrail.live.plan.GnuUnwinder;
import io.ntrail.live.plan.GnuUnwinder.Access;
import io.ntrail.live.plan.ModuleFile;
import io.ntrail.live.plan.PlannedModule;
import io.ntrail.live.target.TargetImage;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.TargetMemory;
import io.ntrail.programs.symbols.PdbSearch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Unwinders for C++ exceptions of GNU compilers in a target that follow return addresses: they are
 * told of the frames of slots ({@link FrameDescriptions}), without which an exception that passes
 * one ends the program.
 */
final class GnuUnwinders {
  private static final long ROUTINE_MILLIS = 20_000;
  private static final int PAGE = 0x1000;

  /** More than any program has; each has a piece of a page. */
  private static final int MOST = 15;

  /** Attempts to read a module that comes and goes. */
  private static final int TRIES = 4;

  // The first page has the routine that makes calls, and for each unwinder that which records.
  private static final int PIECE = 0x100;

  // The second page has parameters of calls, and for each unwinder its own data and a description.
  private static final int DESCRIPTION = 0x60;

  private final TargetProcess target;
  private final TracingMemory tracing;
  private final List<Unwinder> unwinders;
  private final Set<TargetModule> present;
  private final boolean hasLibrary;
  private long block;

  /**
   * Unwinder of a module. Addresses are 0 where there is no such function.
   *
   * @param register address of {@code __register_frame_info}
   * @param deregister address of {@code __deregister_frame_info}
   * @param getIp address of {@code _Unwind_GetIP}
   * @param end address of the end of its descriptions; 0 if they are registered
   */
  private record Unwinder(long register, long deregister, long getIp, long end) {}

  private GnuUnwinders(
      TargetProcess target,
      TracingMemory tracing,
      List<Unwinder> unwinders,
      List<TargetModule> modules) {
    this.target = target;
    this.tracing = tracing;
    this.unwinders = unwinders;
    this.present = Set.copyOf(modules);
    this.hasLibrary = modules.stream().anyMatch(GnuUnwinders::isLibrary);
  }

  private static boolean isLibrary(TargetModule module) {
    return module.name().equalsIgnoreCase(GnuUnwinder.LIBRARY);
  }

  /**
   * Finds the unwinders in the modules of a target.
   *
   * @throws CannotGoOn if one of them cannot be told of slots; the message says which
   */
  static GnuUnwinders in(TargetProcess target, TracingMemory tracing) {
    List<Unwinder> found = new ArrayList<>();
    List<TargetModule> modules = new ArrayList<>(target.modules());
    if (tracing.code().frameDescriptions().isPresent()) {
      for (TargetModule module : List.copyOf(modules)) {
        if (isGone(target, module, found)) {
          // If it comes again, it is one that came later.
          modules.remove(module);
        }
      }
    }
    if (found.size() > MOST) {
      throw new CannotGoOn("more than %d modules unwind GNU C++ exceptions".formatted(MOST), "");
    }
    return new GnuUnwinders(target, tracing, found, modules);
  }

  /**
   * Returns whether they are those of a module's exceptions. A module that came later, whose own
   * unwinder was not told of slots, has others: while it is loaded no call can be made.
   */
  boolean know(PlannedModule module) {
    return switch (GnuUnwinder.of(module.image(), Map.of()).access()) {
      case NOT_NEEDED -> true;
      case LIBRARY -> hasLibrary;
      default -> present.contains(module.module());
    };
  }

  /**
   * Finds the unwinder of a module. A program that runs may unload the module while it is read, and
   * load it again.
   *
   * @return whether it was unloaded
   */
  private static boolean isGone(TargetProcess target, TargetModule module, List<Unwinder> found) {
    for (int left = TRIES; ; left--) {
      try {
        of(target, module).ifPresent(found::add);
        return false;
      } catch (DamagedInput e) {
        // What is no image has no functions that could be traced, either.
        return !target.isStarted();
      } catch (CannotGoOn e) {
        if (target.isStarted() || target.exitCode().isPresent()) {
          throw e;
        }
        if (!target.modules().contains(module)) {
          return true;
        }
        if (left == 1) {
          throw e;
        }
      }
    }
  }

  private static Optional<Unwinder> of(TargetProcess target, TargetModule module) {
    try (ModuleFile file =
        ModuleFile.open(
            target.file(module),
            module,
            TargetImage.headers(target.memory(), module),
            new PdbSearch(List.of()))) {
      PeImage image = file.lasting().orElseGet(() -> TargetImage.read(target.memory(), module));
      if (isLibrary(module)) {
        return Optional.of(exported(module, image));
      }
      Map<Long, String> names = file.symbols().names();
      GnuUnwinder its = GnuUnwinder.of(image, names);
      // A program that runs may have read the end of its descriptions already.
      if (!its.isReachable() || its.access() == Access.ROOM && !target.isStarted()) {
        throw new CannotGoOn(
            "the unwinder for GNU C++ exceptions in %s cannot be told of traced frames"
                .formatted(module.name()),
            "");
      }
      long base = module.base();
      long getIp = its.getIp() < 0 ? 0 : base + its.getIp();
      return switch (its.access()) {
        case OWN ->
            Optional.of(
                new Unwinder(
                    base + its.register(), named(names, "deregister_frame_info", base), getIp, 0));
        case ROOM -> Optional.of(new Unwinder(0, 0, getIp, base + its.end()));
        // Of a library there is one, which is among the modules.
        default -> Optional.empty();
      };
    }
  }

  private static Unwinder exported(TargetModule module, PeImage image) {
    List<Exports.Export> exports = Exports.of(image).list();
    return new Unwinder(
        exported(module, exports, "__register_frame_info"),
        exported(module, exports, "__deregister_frame_info"),
        exported(module, exports, "_Unwind_GetIP"),
        0);
  }

  private static long exported(TargetModule module, List<Exports.Export> exports, String name) {
    return exports.stream()
        .filter(export -> name.equals(export.name()) && export.forward() == null)
        .mapToLong(export -> module.base() + export.rva())
        .findFirst()
        .orElseThrow(
            () -> new CannotGoOn("%s does not export %s".formatted(module.name(), name), ""));
  }

  private static long named(Map<Long, String> names, String name, long base) {
    return names.entrySet().stream()
        .filter(entry -> entry.getValue().replaceFirst("^_+", "").equals(name))
        .mapToLong(entry -> base + entry.getKey())
        .min()
        .orElse(0);
  }

  /** Returns whether there are any. */
  boolean exist() {
    return !unwinders.isEmpty();
  }

  /**
   * Tells all of them of the frames of slots.
   *
   * @param records whether frames that exceptions leave are recorded
   */
  void register(boolean records) {
    if (unwinders.isEmpty()) {
      return;
    }
    FrameDescriptions frames = tracing.code().frameDescriptions().orElseThrow();
    TargetMemory memory = target.memory();
    block = memory.allocate(2L * PAGE, TargetMemory.READ_WRITE);
    memory.write(block, target.architecture().callRoutine());
    TracingMemory.Block region = tracing.resources().reservation();
    for (int i = 0; i < unwinders.size(); i++) {
      Unwinder one = unwinders.get(i);
      long personality = one.getIp == 0 || !records ? 0 : block + piece(i);
      if (personality != 0) {
        memory.write(personality, frames.personality(one.getIp, personality));
      }
      byte[] description = frames.description(region.begin(), region.size(), personality);
      memory.write(description(i), description);
    }
    memory.protect(block, PAGE, TargetMemory.EXECUTE_READ);
    for (int i = 0; i < unwinders.size(); i++) {
      Unwinder one = unwinders.get(i);
      if (one.end != 0) {
        append(one.end, memory.read(description(i), frames.most()).array(0, frames.most()));
      } else {
        call(one.register, description(i), block + PAGE + piece(i));
      }
    }
  }

  /** Puts a description in the place of the zero that ends those of a module. */
  private void append(long end, byte[] description) {
    TargetMemory memory = target.memory();
    int before = memory.exchangeProtection(end, description.length, TargetMemory.READ_WRITE);
    memory.write(end, description);
    memory.protect(end, description.length, before);
  }

  private static int piece(int unwinder) {
    return PIECE * (unwinder + 1);
  }

  private long description(int unwinder) {
    return block + PAGE + piece(unwinder) + DESCRIPTION;
  }

  private void call(long function, long first, long second) {
    target
        .memory()
        .write(
            block + PAGE,
            new BytesBuilder(40).u64(function).u64(first).u64(second).zeros(16).toArray());
    target.run(block, block + PAGE, ROUTINE_MILLIS);
  }

  /**
   * Takes the descriptions back when no slot is in use any more. What was appended stays, and the
   * memory that it refers to with it.
   */
  void deregister() {
    if (block == 0) {
      return;
    }
    boolean all = true;
    for (int i = 0; i < unwinders.size(); i++) {
      long function = unwinders.get(i).deregister;
      all &= function != 0;
      if (function != 0) {
        call(function, description(i), 0);
      }
    }
    if (all) {
      target.memory().free(block);
    }
    block = 0;
  }
}
