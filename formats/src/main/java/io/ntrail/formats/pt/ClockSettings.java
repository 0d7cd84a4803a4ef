package io.ntrail.formats.pt;

/**
 * Facts about the clocks of a processor, which a stream does not tell. Without them time stands
 * still between two TSC packets.
 *
 * @param mtcFrequency bits of the crystal clock between two MTC packets: RTIT_CTL[17:14], 0 to 15
 * @param eax denominator of the ratio of the TSC to the crystal clock: CPUID 15H, EAX; 0: unknown
 * @param ebx its numerator: CPUID 15H, EBX; 0: unknown
 * @param nominal maximum non-turbo ratio: MSR_PLATFORM_INFO[15:8]; 0: unknown
 */
public record ClockSettings(int mtcFrequency, long eax, long ebx, int nominal) {
  /** Nothing is known. */
  public static final ClockSettings UNKNOWN = new ClockSettings(0, 0, 0, 0);

  /** Hertz of the bus clock that ratios refer to, of all processors that have the trace. */
  public static final long BUS_HERTZ = 100_000_000;

  /** Checks the ranges. */
  public ClockSettings {
    if (mtcFrequency < 0 || mtcFrequency > 15) {
      throw new IllegalArgumentException("MTC frequency " + mtcFrequency + " is not 0 to 15");
    }
    if (eax < 0 || eax >> 32 != 0 || ebx < 0 || ebx >> 32 != 0) {
      throw new IllegalArgumentException("EAX and EBX have 32 bits");
    }
    if (nominal < 0 || nominal > 255) {
      throw new IllegalArgumentException("nominal ratio " + nominal + " is not 0 to 255");
    }
  }

  /** Returns true if ticks of the crystal clock can be turned into ticks of the TSC. */
  public boolean knowsCrystal() {
    return eax != 0 && ebx != 0;
  }

  /** Returns the frequency of the TSC in hertz, as the nominal ratio tells it; 0: unknown. */
  public long tscHertz() {
    return nominal * BUS_HERTZ;
  }
}
