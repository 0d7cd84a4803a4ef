package io.ntrail.formats.cab;

/**
 * Compressed data that is invalid; callers that know the offset of the block report it as damage.
 */
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
