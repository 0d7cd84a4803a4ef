package io.ntrail.formats.cab;

/** Packed data that mean nothing; whoever knows the place of the block makes damage of it. */
final class UnreadableBlock extends Exception {
  private static final long serialVersionUID = 1L;

  UnreadableBlock(String why) {
    super(why);
  }

  /** In plain words, without a place. */
  String why() {
    return String.valueOf(getMessage());
  }
}
