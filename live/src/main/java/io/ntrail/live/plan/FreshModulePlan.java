package io.ntrail.live.plan;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.collections.LongList;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.live.branches.ImageSearch;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.windows.TargetMemory.Range;
import io.ntrail.programs.image.ImageFunction;
import io.ntrail.programs.image.ImageFunctions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

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
  private static final int CLOSE = 0x400;

  /** Bytes that are compared in one piece at most. */
  private static final int MOST = 0x8_0000;

  private final PeImage image;
  private final Planner planner;
  private final Planner.Selection choice;
  private final BitSet wanted;

  /** Begin and end of each range of memory that the plan depends on. */
  private final long[] ranges;

  /** Memory of the target. */
  @FunctionalInterface
  interface Memory {
    /** Reads ranges, each up to the first piece that is not there. */
    List<byte[]> read(List<Range> ranges);
  }

  private record Piece(long begin, long end) {}

  private FreshModulePlan(PeImage image, Planner planner, BitSet wanted, Planner.Selection choice) {
    this.image = image;
    this.choice = choice;
    this.planner = planner;
    this.wanted = wanted;
    this.ranges = ranges(planner.functions(), wanted);
  }

  private static FreshModulePlan of(
      TargetModule module,
      PeImage image,
      PlanSymbols symbols,
      Planner.Selection choice,
      ImageSearch search) {
    Planner planner = Planner.of(new PlannedModule(module, image), symbols, choice, search);
    return new FreshModulePlan(image, planner, planner.wanted(choice), choice);
  }

  /**
   * Returns the plan for a module.
   *
   * @param search searches in its file
   * @return empty if it has to be read from memory
   */
  static Optional<List<PlannedFunction>> of(
      Memory memory,
      TargetModule module,
      ModuleFile file,
      Planner.Selection choice,
      ImageSearch search) {
    return file.lasting()
        .map(image -> of(module, image, file.symbols(), choice, search))
        .filter(plan -> plan.isIn(memory, module.base()))
        .map(FreshModulePlan::functions);
  }

  /**
   * Prepares the plan for a module before it is loaded.
   *
   * @param module as it would be if it were loaded where it wants to be
   * @param image its file, in memory of its own
   */
  static FreshModulePlan ahead(
      TargetModule module, PeImage image, PlanSymbols symbols, Planner.Selection choice) {
    return of(module, image, symbols, choice, ImageSearch.here());
  }

  /** Returns where memory has to be as the file for the plan of an exported function. */
  static FreshModulePlan own(PeImage image, Planner planner, String name) {
    return new FreshModulePlan(image, planner, planner.exported(name), Planner.Selection.NOTHING);
  }

  /** Returns the image in the file. */
  PeImage image() {
    return image;
  }

  /** Returns the selected functions. */
  List<PlannedFunction> functions() {
    return planner.plan(wanted, choice);
  }

  private static long[] ranges(ImageFunctions functions, BitSet wanted) {
    List<Piece> pieces = new ArrayList<>();
    for (int i = wanted.nextSetBit(0); i >= 0; i = wanted.nextSetBit(i + 1)) {
      ImageFunction function = functions.list().get(i);
      long rva = function.rva();
      pieces.add(new Piece(Math.max(0, rva - AROUND), Math.max(rva + AROUND, function.end())));
      for (RuntimeFunction part : functions.parts(rva)) {
        pieces.add(new Piece(part.begin(), part.end()));
      }
    }
    pieces.sort((a, b) -> Long.compare(a.begin, b.begin));
    LongList ranges = new LongList();
    long begin = -1;
    long end = -1;
    for (Piece piece : pieces) {
      if (begin >= 0 && piece.begin - end > CLOSE) {
        ranges.add(begin);
        ranges.add(end);
        begin = -1;
      }
      begin = begin < 0 ? piece.begin : begin;
      end = Math.max(end, piece.end);
    }
    if (begin >= 0) {
      ranges.add(begin);
      ranges.add(end);
    }
    return ranges.toArray();
  }

  /** Returns whether memory is as the file wherever the plan depends on it. */
  boolean isIn(Memory memory, long base) {
    try {
      List<Range> there = new ArrayList<>();
      List<byte[]> stored = new ArrayList<>();
      for (int i = 0; i < ranges.length; i += 2) {
        stored(base, ranges[i], ranges[i + 1], there, stored);
      }
      List<byte[]> found = memory.read(there);
      return IntStream.range(0, there.size())
          .allMatch(i -> Arrays.equals(found.get(i), stored.get(i)));
    } catch (DamagedInput e) {
      return false;
    }
  }

  /** Adds a range, as far as it is in the file, and its bytes there. */
  private void stored(long base, long begin, long end, List<Range> there, List<byte[]> stored) {
    for (long at = begin; at < end; ) {
      int length = (int) Math.min(Math.min(end - at, image.view().stored(at)), MOST);
      if (length > 0) {
        there.add(new Range(base + at, length));
        stored.add(image.view().window(at, length).array(0, length));
        at += length;
      } else {
        at += Math.max(1, Math.min(image.view().zeros(at), end - at));
      }
    }
  }
}
