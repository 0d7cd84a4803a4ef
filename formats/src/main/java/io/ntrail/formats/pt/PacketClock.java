package io.ntrail.formats.pt;

import java.util.Set;

/**
 * Time stamp counter as the packets of a stream tell it: exactly at a TSC, between two of them by
 * MTC (the crystal clock) and CYC (core cycles).
 *
 * <p>A packet changes the time that holds from it on: a CYC comes before the packet that it times.
 * Packets that cannot be used, because a setting is not known, are counted: {@link #lostMtc},
 * {@link #lostCyc}.
 */
public final class PacketClock {
  /** Ways to round. */
  public enum Rounding {
    /** Nothing is rounded twice, and time does not run backwards between two TSCs. */
    EXACT(24),
    /**
     * Rounded as Intel's library does it, bit for bit: each MTC rounds, ratios have 8 bits after
     * the point.
     */
    LIBIPT(8);

    private final int ratioBits;

    Rounding(int ratioBits) {
      this.ratioBits = ratioBits;
    }
  }

  private static final long WRAP = 1L << 56;

  private final ClockSettings settings;
  private final boolean isExact;
  private final int shift;
  private final CycleRatio ratio;

  private boolean isTold;
  private boolean hasTsc;
  private boolean hasTma;
  private boolean hasMtc;
  private long tsc;
  private long firstTsc;

  /** Multiples of 2^56 that the counter has passed: a packet has 56 bits of it. */
  private long epoch;

  /** Time at the last MTC. */
  private long base;

  /** Time that {@link #ticks} are counted from, for {@link Rounding#EXACT}. */
  private long anchor;

  /** Ticks of the crystal clock since then. */
  private long ticks;

  /** Ticks of the TSC since the last MTC. */
  private long fast;

  private long ctc;

  /** Value of the crystal clock's counter that {@link #fast} was counted from. */
  private long ctcOfCycles;

  private long lostMtc;
  private long lostCyc;

  /** CYCs that were lost since the last MTC or TSC. */
  private long lostCycSince;

  /** A clock that has not seen a packet. */
  public PacketClock(ClockSettings settings, Rounding rounding, Set<Erratum> errata) {
    this.settings = settings;
    this.isExact = rounding == Rounding.EXACT;
    this.shift = rounding.ratioBits;
    this.ratio = new CycleRatio(settings, shift, errata.contains(Erratum.SKL168));
  }

  /** Returns true for packets that tell something of time. */
  public static boolean needs(PacketCursor packet) {
    return switch (packet.type()) {
      case TSC, MTC, CYC, CBR, PSB, OVF -> true;
      case TMA -> !packet.isDamagedTma();
      default -> false;
    };
  }

  /** Returns what a packet tells of time: of a TMA, CTC, and its fast counter above bit 16. */
  public static long operand(PacketCursor packet) {
    return switch (packet.type()) {
      case TSC, MTC, CYC -> packet.value();
      case CBR -> packet.field(PacketType.CBR.fields().getFirst());
      case TMA ->
          packet.field(PacketType.TMA.fields().getFirst())
              | packet.field(PacketType.TMA.fields().getLast()) << CrystalTicks.TMA_BITS;
      default -> 0;
    };
  }

  /** Takes the packet that a cursor stands on. */
  public void take(PacketCursor packet) {
    if (needs(packet)) {
      take(packet.type(), operand(packet), packet.inHeader());
    }
  }

  /**
   * Takes a packet.
   *
   * @param value its {@link #operand}
   * @param inHeader whether it stands in a header
   */
  public void take(PacketType type, long value, boolean inHeader) {
    isTold = false;
    switch (type) {
      case TSC -> tsc(value, inHeader);
      case TMA -> tma(value);
      case MTC -> mtc(value << settings.mtcFrequency());
      case CYC -> cyc(value);
      case CBR -> ratio.coreToBus(value, inHeader);
      case PSB -> ratio.psb();
      case OVF -> ratio.reset();
      default -> {
        // Tells nothing of time.
      }
    }
  }

  private void tsc(long low, boolean inHeader) {
    if (hasTsc && tsc - (epoch | low) > WRAP / 2) {
      epoch += WRAP;
    }
    long value = epoch | low;
    ratio.tsc(value, inHeader);
    tsc = value;
    if (!hasTsc) {
      firstTsc = value;
    }
    base = value;
    anchor = value;
    ticks = 0;
    fast = 0;
    ctc = 0;
    hasTsc = true;
    isTold = true;
    hasTma = false;
    hasMtc = false;
    lostCycSince = 0;
  }

  private void tma(long value) {
    if (!hasTsc || hasTma || hasMtc) {
      return;
    }
    long counter = value & (1 << CrystalTicks.TMA_BITS) - 1;
    long rest = value >>> CrystalTicks.TMA_BITS;
    base -= rest;
    anchor = base;
    fast += rest;
    ctc = counter & CrystalTicks.mask(settings);
    ctcOfCycles = ctc;
    hasTma = true;
    hasMtc = settings.mtcFrequency() + CrystalTicks.MTC_BITS <= CrystalTicks.TMA_BITS;
  }

  private void mtc(long counter) {
    ratio.mtc(counter);
    if (hasTsc && !hasTma) {
      return;
    }
    if (fast != 0 || lostCycSince != 0 || !hasMtc) {
      ctcOfCycles = counter;
    }
    boolean isFirst = !hasMtc;
    long last = ctc;
    hasMtc = true;
    fast = 0;
    ctc = counter;
    lostCycSince = 0;
    if (isFirst) {
      if (!hasTma) {
        return;
      }
      last = CrystalTicks.complete(last, counter, settings);
    }
    if (!settings.knowsCrystal()) {
      lostMtc += hasTsc ? 1 : 0;
      return;
    }
    long elapsed = CrystalTicks.between(last, counter, settings);
    ticks += elapsed;
    base =
        isExact
            ? anchor + ticks * settings.ebx() / settings.eax()
            : base + elapsed * settings.ebx() / settings.eax();
    advance(base);
  }

  private void cyc(long value) {
    ratio.cycles(value);
    long scale = ratio.value();
    if (scale == 0) {
      lostCyc += hasTsc ? 1 : 0;
      lostCycSince++;
      return;
    }
    long cycles = value;
    if (fast == 0 && ctc != ctcOfCycles && settings.knowsCrystal()) {
      // The CYC began before the last MTC.
      long elapsed = CrystalTicks.between(ctcOfCycles, ctc, settings);
      long old = Long.divideUnsigned(elapsed * settings.ebx() / settings.eax() << shift, scale);
      cycles = Long.compareUnsigned(old, cycles) > 0 ? 0 : cycles - old;
    }
    fast += cycles * scale >>> shift;
    advance(base + fast);
  }

  private void advance(long to) {
    isTold = hasTsc;
    if (!isExact || to > tsc) {
      tsc = to;
    }
  }

  /** Returns true if the packet that was taken last told the time. */
  public boolean isTold() {
    return isTold;
  }

  /** Returns true if there was a TSC: before it, nothing is known. */
  public boolean isKnown() {
    return hasTsc;
  }

  /** Returns the time stamp counter after the packets that were taken, 0 if it is not known. */
  public long tsc() {
    return hasTsc ? tsc : 0;
  }

  /** Returns the first time stamp of the stream. */
  public long firstTsc() {
    return firstTsc;
  }

  /** Returns true if {@link #nanos} can tell the time. */
  public boolean knowsNanos() {
    return hasTsc && settings.tscHertz() != 0;
  }

  /**
   * Returns the time since the first time stamp of the stream, in nanoseconds.
   *
   * @throws IllegalStateException if it is not known, see {@link #knowsNanos}
   */
  public long nanos() {
    return nanos(tsc);
  }

  /**
   * Returns a time since the first time stamp of the stream, in nanoseconds.
   *
   * @param at a time stamp counter
   * @throws IllegalStateException if it is not known, see {@link #knowsNanos}
   */
  public long nanos(long at) {
    if (!knowsNanos()) {
      throw new IllegalStateException("the frequency of the counter is not known");
    }
    long hertz = settings.tscHertz();
    long passed = at - firstTsc;
    // The counter has few more than 56 bits, so that each part fits.
    return passed / hertz * 1_000_000_000 + passed % hertz * 1_000 / (hertz / 1_000_000);
  }

  /** Returns the number of MTCs behind the first TSC that could not be used. */
  public long lostMtc() {
    return lostMtc;
  }

  /** Returns the number of CYCs behind the first TSC that could not be used. */
  public long lostCyc() {
    return lostCyc;
  }
}
