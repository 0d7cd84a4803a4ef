package io.ntrail.testkit.pt;

import java.util.SplittableRandom;

/**
 * Options of the encoding.
 *
 * @param compressedReturns a return to where the call said is a branch that is taken
 * @param longTnt branch results in packets of 47, not of 6
 * @param deferred an indirect branch may follow the branch results that come after it
 * @param timing TSC, TMA and MTC are written
 * @param cycles CYC are written, too
 * @param fullIps addresses take eight bytes where they cannot be shortened
 * @param pads of so many packets, one has a PAD before it; 0: none
 * @param psbBytes about so many bytes lie between two PSBs
 * @param interrupts of so many steps, before one tracing pauses; 0: it never does
 * @param overflows of so many branches, after one some steps are lost; 0: none are
 */
public record PtOptions(
    boolean compressedReturns,
    boolean longTnt,
    boolean deferred,
    boolean timing,
    boolean cycles,
    boolean fullIps,
    int pads,
    int psbBytes,
    int interrupts,
    int overflows) {
  /** Returns options that are always the same for a seed. */
  public static PtOptions random(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    boolean isCompressing = random.nextBoolean();
    boolean isLong = random.nextBoolean();
    boolean isDeferring = random.nextBoolean();
    boolean isTimed = random.nextBoolean();
    return new PtOptions(
        isCompressing,
        isLong,
        isDeferring,
        isTimed,
        isTimed,
        random.nextInt(4) == 0,
        random.nextBoolean() ? 0 : 1 + random.nextInt(8),
        100 << random.nextInt(8),
        random.nextBoolean() ? 0 : 200 << random.nextInt(6),
        random.nextInt(3) == 0 ? 500 << random.nextInt(5) : 0);
  }

  /** Returns the same, with or without compressed returns. */
  public PtOptions compressingReturns(boolean isCompressing) {
    return new PtOptions(
        isCompressing,
        longTnt,
        deferred,
        timing,
        cycles,
        fullIps,
        pads,
        psbBytes,
        interrupts,
        overflows);
  }
}
