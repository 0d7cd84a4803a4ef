package io.ntrail.testkit.described;

import java.util.Arrays;
import java.util.HexFormat;

/** Bytes that do not change; equal when the bytes are. */
public final class Blob {
  /** No bytes. */
  public static final Blob NONE = new Blob(new byte[0]);

  private final byte[] bytes;

  private Blob(byte[] bytes) {
    this.bytes = bytes;
  }

  /** A copy of {@code bytes}. */
  public static Blob of(byte[] bytes) {
    return new Blob(bytes.clone());
  }

  /** A copy of the bytes. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** Returns their number. */
  public int size() {
    return bytes.length;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Blob blob && Arrays.equals(bytes, blob.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return HexFormat.of().formatHex(bytes);
  }
}
