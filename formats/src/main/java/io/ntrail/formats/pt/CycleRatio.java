package io.ntrail.formats.pt;

/**
 * Ratio of the TSC to the core's clock, measured again and again: between two MTCs if there are
 * any, else between two TSCs of headers, else as CBR tells it.
 */
final class CycleRatio {
  private final ClockSettings settings;
  private final int shift;
  private final boolean losesCycles;

  /** Ticks of the TSC for a core cycle, shifted left; 0: unknown. */
  private long ratio;

  private boolean hasMtc;
  private boolean mayHaveLost;
  private long ctc;
  private long cyclesSinceMtc;
  private long tsc;
  private long cyclesSinceTsc;

  /**
   * @param shift fractional bits of the ratio
   * @param losesCycles the processor loses cycles before a PSB: {@link Erratum#SKL168}
   */
  CycleRatio(ClockSettings settings, int shift, boolean losesCycles) {
    this.settings = settings;
    this.shift = shift;
    this.losesCycles = losesCycles;
  }

  long value() {
    return ratio;
  }

  void reset() {
    ratio = 0;
    hasMtc = false;
    mayHaveLost = false;
    ctc = 0;
    cyclesSinceMtc = 0;
    tsc = 0;
    cyclesSinceTsc = 0;
  }

  void psb() {
    mayHaveLost = losesCycles;
  }

  void cycles(long cycles) {
    cyclesSinceMtc += cycles;
    cyclesSinceTsc += cycles;
  }

  void coreToBus(long coreRatio, boolean inHeader) {
    if (!inHeader) {
      reset();
    }
    if (coreRatio != 0 && settings.nominal() != 0) {
      ratio = ((long) settings.nominal() << shift) / coreRatio;
    }
  }

  void tsc(long value, boolean inHeader) {
    long before = tsc;
    long cycles = cyclesSinceTsc;
    tsc = value;
    cyclesSinceTsc = 0;
    // Time may have been lost before a TSC outside of a header.
    if (inHeader && !hasMtc && before != 0 && cycles != 0 && value > before) {
      set(value - before, cycles);
    }
  }

  void mtc(long newCtc) {
    if (!hasMtc) {
      hasMtc = true;
      mayHaveLost = false;
      ctc = newCtc;
      cyclesSinceMtc = 0;
      return;
    }
    long cycles = cyclesSinceMtc;
    if (cycles == 0) {
      return;
    }
    long ticks = CrystalTicks.between(ctc, newCtc, settings);
    ctc = newCtc;
    cyclesSinceMtc = 0;
    if (!settings.knowsCrystal()) {
      return;
    }
    long elapsed = ticks * settings.ebx() / settings.eax();
    if (mayHaveLost) {
      mayHaveLost = false;
      if (ticks > 1L << settings.mtcFrequency()
          || settings.mtcFrequency() < 10 && (ratio * (cycles + 0xF00) >>> shift) < elapsed) {
        return;
      }
    }
    set(elapsed, cycles);
  }

  private void set(long ticks, long cycles) {
    if (Long.numberOfLeadingZeros(ticks) > shift) {
      long measured = Long.divideUnsigned(ticks << shift, cycles);
      ratio = measured == 0 ? ratio : measured;
    }
  }
}
