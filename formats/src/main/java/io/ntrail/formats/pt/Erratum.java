package io.ntrail.formats.pt;

import java.util.EnumSet;
import java.util.Set;

/**
 * Defects of processors that a decoder has to know. Each is named by one of its names in Intel's
 * specification updates.
 */
public enum Erratum {
  /** A header right before a TIP.PGE tells an address although tracing is off. */
  BDM70,
  /** A branch right before the abort of a transaction has a wrong target. */
  BDM64,
  /** An overflow is written after the first byte of a CYC. */
  SKD007,
  /** FUP or TIP.PGE is missing after an overflow. */
  SKD010,
  /** A VM entry that ends tracing has a FUP that means nothing. */
  SKD022,
  /** The target is missing where a direct branch leaves the filter. */
  SKL014,
  /** Cycles are lost right before a PSB. */
  SKL168,
  /** A TMA may be damaged and one byte too long. */
  SKZ84,
  /** An overflow may be followed by TIP.PGD. */
  APL11,
  /** An overflow may be followed by a FUP although tracing is off. */
  APL12;

  /**
   * Returns the defects of a processor; empty if the processor is not known.
   *
   * @param family as CPUID tells it, with the extended family
   * @param model with the extended model
   */
  public static Set<Erratum> of(int family, int model) {
    return switch (family) {
      case 6 -> ofFamily6(model);
      case 18 -> model == 1 || model == 3 ? EnumSet.of(BDM70, SKD022, APL11) : none();
      case 19 -> model == 1 ? EnumSet.of(BDM70, SKD022, SKZ84) : none();
      default -> none();
    };
  }

  private static Set<Erratum> none() {
    return EnumSet.noneOf(Erratum.class);
  }

  private static Set<Erratum> ofFamily6(int model) {
    return switch (model) {
      case 61, 71, 79, 86 -> EnumSet.of(BDM70, BDM64);
      case 78, 94, 142, 158, 165, 166 -> EnumSet.of(BDM70, SKD007, SKD022, SKD010, SKL014, SKL168);
      case 85, 106, 108 -> EnumSet.of(BDM70, SKL014, SKD022, SKZ84);
      case 143, 207, 173, 174 -> EnumSet.of(BDM70, SKD022, SKZ84);
      case 102, 125, 126, 140, 141, 167, 168 -> EnumSet.of(BDM70, SKL014, SKD022);
      case 151, 154, 186, 183, 191, 197, 198, 181, 170, 172, 189, 204, 213 ->
          EnumSet.of(BDM70, SKD022, APL11);
      case 92, 95 -> EnumSet.of(APL11, APL12);
      case 122, 134, 150, 156, 182, 175, 221 -> EnumSet.of(APL11);
      default -> none();
    };
  }
}
