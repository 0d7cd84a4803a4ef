package io.ntrail.testkit.pe;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Lays an image out as the Windows loader does, without relocating it and without filling the
 * import address table: what a debugger would read at ImageBase before anything has run. Written
 * from the rules of the loader, apart from the reader that it is a yardstick for.
 *
 * <p>Only for well-formed images; what the loader would refuse throws {@link
 * IllegalArgumentException}.
 */
public final class LoaderView {
  private static final int PAGE = 0x1000;
  private static final long LARGEST = 1L << 28;

  private LoaderView() {}

  /** The bytes from ImageBase on, SizeOfImage rounded up to pages. */
  public static byte[] map(byte[] file) {
    ByteBuffer in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    int header = in.getInt(0x3C);
    int optional = header + 24;
    int sections = Short.toUnsignedInt(in.getShort(header + 6));
    int table = optional + Short.toUnsignedInt(in.getShort(header + 20));
    long sectionAlignment = Integer.toUnsignedLong(in.getInt(optional + 32));
    long fileAlignment = Integer.toUnsignedLong(in.getInt(optional + 36));
    long sizeOfImage = up(Integer.toUnsignedLong(in.getInt(optional + 56)), PAGE);
    long sizeOfHeaders = Integer.toUnsignedLong(in.getInt(optional + 60));
    if (sizeOfImage > LARGEST) {
      throw new IllegalArgumentException("SizeOfImage " + sizeOfImage);
    }
    byte[] memory = new byte[(int) sizeOfImage];
    if (sectionAlignment < PAGE) {
      // Below the size of a page the file is mapped as it is.
      System.arraycopy(file, 0, memory, 0, Math.min(file.length, memory.length));
      return memory;
    }
    System.arraycopy(file, 0, memory, 0, (int) Math.min(sizeOfHeaders, file.length));
    for (int i = 0; i < sections; i++) {
      int at = table + 40 * i;
      long virtualSize = Integer.toUnsignedLong(in.getInt(at + 8));
      long address = Integer.toUnsignedLong(in.getInt(at + 12));
      long rawSize = Integer.toUnsignedLong(in.getInt(at + 16));
      long pointer = Integer.toUnsignedLong(in.getInt(at + 20));
      long mapped = up(virtualSize == 0 ? rawSize : virtualSize, PAGE);
      if (address + mapped > memory.length) {
        throw new IllegalArgumentException("section " + i + " reaches out of the image");
      }
      if (pointer == 0) {
        continue;
      }
      // The loader knows nothing but disk sectors.
      long from = pointer & ~0x1FFL;
      long bytes = Math.min(mapped, up(rawSize, Math.max(1, fileAlignment)));
      long present = Math.max(0, Math.min(bytes, file.length - from));
      System.arraycopy(
          file, (int) Math.min(from, file.length), memory, (int) address, (int) present);
    }
    return memory;
  }

  private static long up(long value, long alignment) {
    return (value + alignment - 1) / alignment * alignment;
  }
}
