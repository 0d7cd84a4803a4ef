package io.ntrail.formats.cab;

/** Packed data that mean nothing; whoever knows the place of the block makes damage of it. */
final class DamagedBlock extends Exception {
  private static final long serialVersionUID = 1L;

  DamagedBlock(String why) {
    super(why);
  }

  /** In plain words, without a place. */
  String why() {
    return String.valueOf(getMessage());
  }
}
