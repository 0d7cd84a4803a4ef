package io.ntrail.live.patch;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.live.code.StubWriter;
import io.ntrail.live.code.TracedCode;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.windows.TargetMemory.Range;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Practice for arming the functions of a library: makes their stubs and jumps from its file, and
 * forgets them. A thread of the target waits for both when it loads a library, and they take
 * several times as long before the JVM has compiled them.
 */
public final class PatchPractice {
  /** Functions that are practised with at once: enough for the JVM to compile what is used. */
  private static final int MOST = 300;

  private PatchPractice() {}

  /**
   * Makes stubs and jumps.
   *
   * @param block a place for stubs within reach of the functions, where nothing is written
   * @param functions of one module, as planned from its file
   * @return the functions that were done
   */
  public static List<Patcher.Patched> run(StubWriter block, List<PlannedFunction> functions) {
    List<PlannedFunction> added = new ArrayList<>();
    List<Long> stubs = new ArrayList<>();
    for (PlannedFunction function : functions.subList(0, Math.min(functions.size(), MOST))) {
      if (function.isTraced()) {
        TracedCode code = function.code().orElseThrow();
        if (block.reaches(code)) {
          stubs.add(block.add(code, 0));
          added.add(function);
        }
      }
    }
    if (added.isEmpty()) {
      return List.of();
    }
    block.bytes();
    List<Long> bodies = block.bodies();
    List<Patcher.Patched> patched = new ArrayList<>();
    for (int i = 0; i < added.size(); i++) {
      patched.add(new Patcher.Patched(added.get(i), stubs.get(i), bodies.get(i)));
    }
    PeImage image = added.getFirst().module().image();
    long base = added.getFirst().module().module().base();
    CodePages pages =
        new CodePages(
            ranges -> ranges.stream().map(range -> stored(image, base, range)).toList(),
            _ -> base + image.headers().sizeOfImage());
    try {
      return PatchJumps.put(patched, pages, Set.of(), _ -> false);
    } catch (CannotGoOn e) {
      return List.of();
    }
  }

  /** Returns bytes of the file; zeros where it has none. */
  private static byte[] stored(PeImage image, long base, Range range) {
    long rva = range.address() - base;
    int length = (int) Math.min(range.length(), image.view().stored(rva));
    return Arrays.copyOf(image.view().window(rva, length).array(0, length), range.length());
  }
}
