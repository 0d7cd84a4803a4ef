package io.ntrail.programs.kernelcode;

/** Result for one site: how it was rewritten, or the reason why its bytes are as in the file. */
public enum SiteOutcome {
  /** Rewritten: goes to the imported function directly. */
  DIRECT("goes to the import directly"),
  /** Rewritten: goes to a thunk of the retpoline page. */
  THUNK("goes to a thunk"),
  /**
   * Rewritten: goes to a thunk, as it does if the imported function is far away. Its address is not
   * known; if it was near, the kernel made the site go there directly.
   */
  THUNK_UNKNOWN_TARGET("goes to a thunk, unless the import, whose address is not known, is near"),
  /** Rewritten: goes to the imported function through r10. */
  REGISTER("goes to the import through r10"),
  /**
   * Rewritten: goes through r10, as it does if the imported function is far away. Its address is
   * not known; if it was near, the kernel made the site go there directly.
   */
  REGISTER_UNKNOWN_TARGET(
      "goes through r10, unless the import, whose address is not known, is near"),
  /** Left as in the file, since this variant leaves sites of its kind alone. */
  UNCHANGED("this variant does not rewrite it"),
  /** Left: the address of the imported function is not known. */
  UNKNOWN_TARGET("the address of the import is not known"),
  /** Left: the target is more than 2 GB away. */
  OUT_OF_REACH("the target is more than 2 GB away"),
  /** Left: the image is for another machine than x64. */
  OTHER_MACHINE("the image is not x64 code"),
  /** Left: the site is not in stored bytes of an executable section. */
  NOT_CODE("there is no code at the site"),
  /** Left: the instruction there is not one that its record can be about. */
  OTHER_INSTRUCTION("the instruction is not the one that the record describes"),
  /** Left: the instruction uses another slot than its record says. */
  OTHER_SLOT("the instruction uses another slot than the record says"),
  /** Left: another site has some of the same bytes. */
  OVERLAP("another site has some of the same bytes"),
  /** Left: a base relocation changes some of the bytes. */
  RELOCATED("a base relocation changes its bytes"),
  /** Left: there is no thunk for this register. */
  NO_THUNK("there is no thunk for the register");

  private final String text;

  SiteOutcome(String text) {
    this.text = text;
  }

  /** Returns it in words. */
  public String text() {
    return text;
  }

  /** Returns whether the bytes differ from those of the file. */
  public boolean isRewritten() {
    return switch (this) {
      case DIRECT, THUNK, THUNK_UNKNOWN_TARGET -> true;
      default -> isThroughRegister();
    };
  }

  /** Returns whether the site goes through r10. */
  public boolean isThroughRegister() {
    return this == REGISTER || this == REGISTER_UNKNOWN_TARGET;
  }

  /**
   * Returns whether the record and its image contradict each other, which no linker should produce.
   */
  public boolean isDamage() {
    return switch (this) {
      case OTHER_MACHINE, NOT_CODE, OTHER_INSTRUCTION, OTHER_SLOT, OVERLAP, RELOCATED, NO_THUNK ->
          true;
      case DIRECT,
          THUNK,
          THUNK_UNKNOWN_TARGET,
          REGISTER,
          REGISTER_UNKNOWN_TARGET,
          UNCHANGED,
          UNKNOWN_TARGET,
          OUT_OF_REACH ->
          false;
    };
  }
}
