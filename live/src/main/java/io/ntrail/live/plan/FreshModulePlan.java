package io.ntrail.live.plan;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.live.target.TargetModule;
import io.ntrail.programs.image.ImageFunction;
import io.ntrail.programs.image.ImageFunctions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Plan for a module that was just loaded, from its file.
 *
 * <p>None of its code has run, so it lies in memory as it is in the file, unless another tool was
 * faster; reading all of a large module from memory takes longer than its loading should. The
 * selected functions are compared with memory; if anything differs (another tool's patch, an
 * address that was relocated) there is no such plan, and the module is read from memory.
 */
final class FreshModulePlan {
  /** Bytes around the start of a function where its long jump may be put. */
  private static final int AROUND = 192;

  /** Bytes between two pieces of memory that are rather read than left out. */
  private static final int CLOSE = 0x4000;

  private final Memory memory;
  private final TargetModule module;
  private final PeImage image;
  private final List<Piece> pieces = new ArrayList<>();

  /** Memory of the target. */
  @FunctionalInterface
  interface Memory {
    /** Reads up to the first piece that is not there. */
    byte[] read(long address, int length);
  }

  private record Piece(long begin, long end) {}

  private FreshModulePlan(Memory memory, TargetModule module, PeImage image) {
    this.memory = memory;
    this.module = module;
    this.image = image;
  }

  /**
   * Returns the plan for a module.
   *
   * @return empty if it has to be read from memory
   */
  static Optional<List<PlannedFunction>> of(
      Memory memory, TargetModule module, ModuleFile file, Planner.Selection choice) {
    Optional<PeImage> copy = file.copy();
    if (copy.isEmpty()) {
      return Optional.empty();
    }
    Planner planner =
        Planner.of(new PlannedModule(module, copy.get()), file.names(), Optional.empty());
    BitSet wanted = planner.wanted(choice);
    FreshModulePlan plan = new FreshModulePlan(memory, module, copy.get());
    return plan.isInMemory(planner.functions(), wanted)
        ? Optional.of(planner.plan(wanted, choice))
        : Optional.empty();
  }

  private boolean isInMemory(ImageFunctions functions, BitSet wanted) {
    for (int i = wanted.nextSetBit(0); i >= 0; i = wanted.nextSetBit(i + 1)) {
      ImageFunction function = functions.list().get(i);
      long rva = function.rva();
      pieces.add(new Piece(Math.max(0, rva - AROUND), Math.max(rva + AROUND, function.end())));
      for (RuntimeFunction part : functions.parts(rva)) {
        pieces.add(new Piece(part.begin(), part.end()));
      }
    }
    pieces.sort(Comparator.comparingLong(Piece::begin));
    long begin = -1;
    long end = -1;
    for (Piece piece : pieces) {
      if (begin >= 0 && piece.begin - end > CLOSE) {
        if (!isSame(begin, end)) {
          return false;
        }
        begin = -1;
      }
      begin = begin < 0 ? piece.begin : begin;
      end = Math.max(end, piece.end);
    }
    return begin < 0 || isSame(begin, end);
  }

  /** Compares a range, as far as it is in the file. */
  private boolean isSame(long begin, long end) {
    try {
      for (long at = begin; at < end; ) {
        long stored = Math.min(end - at, image.view().stored(at));
        if (stored <= 0) {
          at += Math.max(1, Math.min(image.view().zeros(at), end - at));
          continue;
        }
        byte[] there = memory.read(module.base() + at, (int) stored);
        if (!Arrays.equals(there, image.view().window(at, stored).array(0, (int) stored))) {
          return false;
        }
        at += stored;
      }
      return true;
    } catch (DamagedInput e) {
      return false;
    }
  }
}
