package io.ntrail.analysis.stacks;

import io.ntrail.formats.bytes.Bytes;
import java.util.Arrays;

/** The addresses of one stack, innermost first: what is called, before its caller. Used again. */
public final class Frames {
  private long[] addresses = new long[256];
  private int count;

  /** No frames. */
  public Frames() {}

  /** Number of frames. */
  public int count() {
    return count;
  }

  /** Address of a frame; 0 is the innermost. */
  public long address(int i) {
    return addresses[i];
  }

  /** Forgets all frames. */
  public void clear() {
    count = 0;
  }

  /** Adds the caller of the last frame. */
  public void add(long address) {
    if (count == addresses.length) {
      addresses = Arrays.copyOf(addresses, 2 * count);
    }
    addresses[count++] = address;
  }

  void add(long[] from, int at, int length) {
    if (count + length > addresses.length) {
      addresses = Arrays.copyOf(addresses, Math.max(count + length, 2 * count));
    }
    System.arraycopy(from, at, addresses, count, length);
    count += length;
  }

  /** Adds frames as records hold them. */
  void add(Bytes bytes, int at, int frames, int pointerBytes) {
    for (int i = 0; i < frames; i++) {
      add(bytes.pointer(at + i * pointerBytes, pointerBytes));
    }
  }

  /** Adds the frames of another stack behind these. */
  public void addAll(Frames other) {
    add(other.addresses, 0, other.count);
  }

  /** Puts an address before the innermost frame, unless that is it already. */
  public void setInnermost(long address) {
    if (count > 0 && addresses[0] == address) {
      return;
    }
    add(0);
    System.arraycopy(addresses, 0, addresses, 1, count - 1);
    addresses[0] = address;
  }

  /** The frames, to be kept. */
  public long[] toArray() {
    return Arrays.copyOf(addresses, count);
  }
}
