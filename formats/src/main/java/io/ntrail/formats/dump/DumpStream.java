package io.ntrail.formats.dump;

/**
 * An entry of the directory.
 *
 * @param number kind of the stream: {@link StreamType}, or a number that is not known
 * @param size bytes, as far as the file has them
 * @param offset in the file
 */
public record DumpStream(int number, long size, long offset) {
  /** Returns the name of its kind; {@code stream 0x1234} if it has none. */
  public String title() {
    return StreamType.of(number)
        .map(StreamType::title)
        .orElseGet(() -> "stream 0x" + Integer.toHexString(number));
  }

  /** Returns true if it is of a kind. */
  public boolean is(StreamType type) {
    return number == type.number();
  }
}
