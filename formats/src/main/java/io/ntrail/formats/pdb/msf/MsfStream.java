package io.ntrail.formats.pdb.msf;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;

/**
 * One stream of a PDB, or a part of one, as a view by pages: only the requested pages are touched.
 *
 * <p>A stream is up to 4 GiB long. Blocks that follow one another in the file are viewed in place;
 * only a window over blocks that do not is a copy, as long as the window. May be used by several
 * threads.
 */
public final class MsfStream {
  /** A stream without bytes. */
  public static final MsfStream EMPTY = of(InputFile.of(new byte[0], "nothing"));

  /** Pseudo number of the directory, which is not a stream of its own. */
  static final int DIRECTORY = -1;

  /** Pseudo number of the directory's map. */
  static final int MAP = -2;

  private final InputFile file;
  private final int number;
  private final int shift;
  private final int[] blocks;
  private final long begin;
  private final long length;

  /** The blocks of a list; all must be in the file. */
  MsfStream(InputFile file, int number, int blockSize, long blockCount, Bytes list, long length) {
    this.file = file;
    this.number = number;
    this.shift = Integer.numberOfTrailingZeros(blockSize);
    this.blocks = new int[list.length() / 4];
    this.begin = 0;
    this.length = length;
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = list.i32(4 * i);
      if ((blocks[i] & 0xFFFF_FFFFL) >= blockCount) {
        throw new DamagedInput(
            file.name(),
            list.base() + 4L * i,
            "%s lies in block %d of %d"
                .formatted(label(number), blocks[i] & 0xFFFF_FFFFL, blockCount));
      }
    }
  }

  private MsfStream(MsfStream whole, long begin, long length) {
    this.file = whole.file;
    this.number = whole.number;
    this.shift = whole.shift;
    this.blocks = whole.blocks;
    this.begin = begin;
    this.length = length;
  }

  /** Returns all bytes of an input as one stream: for records that are not in a container. */
  public static MsfStream of(InputFile file) {
    int blockSize = 1 << 16;
    int count = (int) ((file.size() + blockSize - 1) / blockSize);
    byte[] list = new byte[4 * count];
    for (int i = 0; i < count; i++) {
      list[4 * i] = (byte) i;
      list[4 * i + 1] = (byte) (i >> 8);
      list[4 * i + 2] = (byte) (i >> 16);
      list[4 * i + 3] = (byte) (i >> 24);
    }
    return new MsfStream(file, 0, blockSize, count, Bytes.copyOf(list, file.name()), file.size());
  }

  private static String label(int number) {
    return switch (number) {
      case MAP -> "the map of the directory";
      case DIRECTORY -> "the directory";
      default -> "stream " + number;
    };
  }

  /** Its number in the directory. */
  public int number() {
    return number;
  }

  /** Returns the length in bytes. */
  public long length() {
    return length;
  }

  /** The name of the input and the number, for messages. */
  public String name() {
    return file.name() + " " + label(number);
  }

  /** Returns true if {@code bytes} bytes at {@code at} are inside. */
  public boolean has(long at, long bytes) {
    return at >= 0 && bytes >= 0 && at <= length - bytes;
  }

  /**
   * Returns a narrower view, whose offsets start at 0 again.
   *
   * @throws DamagedInput if it runs past the end
   */
  public MsfStream part(long at, long bytes) {
    check(at, bytes);
    return new MsfStream(this, begin + at, bytes);
  }

  /**
   * Returns the offset of a byte in the file; past the end: that of the last one, or 0 if there is
   * none.
   */
  public long fileOffset(long at) {
    if (blocks.length == 0) {
      return 0;
    }
    long from = Math.clamp(begin + at, 0, ((long) blocks.length << shift) - 1);
    return ((blocks[(int) (from >> shift)] & 0xFFFF_FFFFL) << shift) + (from & (1L << shift) - 1);
  }

  /**
   * Returns the bytes of a range, copied only if they are not contiguous in the file.
   *
   * @throws DamagedInput if it runs past the end of the stream or of the file
   */
  public Bytes window(long at, int bytes) {
    check(at, bytes);
    if (bytes == 0) {
      return Bytes.copyOf(new byte[0], name());
    }
    if (runLength(at, bytes) >= bytes) {
      return file.window(fileOffset(at), bytes);
    }
    byte[] copy = new byte[bytes];
    for (int done = 0; done < bytes; ) {
      int run = (int) Math.min(bytes - done, runLength(at + done, bytes - done));
      file.window(fileOffset(at + done), run).copyTo(0, copy, done, run);
      done += run;
    }
    return Bytes.copyOf(copy, name());
  }

  /**
   * Returns the bytes from an offset on: as many as are contiguous in the file, but not fewer than
   * {@code least} and not more than {@code most}.
   *
   * @throws DamagedInput if {@code least} run past the end of the stream or of the file
   */
  public Bytes window(long at, int least, int most) {
    check(at, least);
    long near = runLength(at, Math.min(most, length - at));
    long there = Math.min(Math.min(most, near), file.size() - fileOffset(at));
    return window(at, (int) Math.min(Math.max(least, there), length - at));
  }

  /**
   * Returns the number of bytes from an offset on that are contiguous in the file, up to {@code
   * most}.
   */
  private long runLength(long at, long most) {
    long from = begin + at;
    int block = (int) (from >> shift);
    long end = (long) block + 1 << shift;
    while (end - from < most && blocks[block + 1] == blocks[block] + 1) {
      block++;
      end += 1L << shift;
    }
    return end - from;
  }

  /** Unsigned 16-bit number. */
  public int u16(long at) {
    return window(at, 2).u16(0);
  }

  /** Signed 32-bit number. */
  public int i32(long at) {
    return window(at, 4).i32(0);
  }

  /** Unsigned 32-bit number. */
  public long u32(long at) {
    return i32(at) & 0xFFFF_FFFFL;
  }

  private void check(long at, long bytes) {
    if (!has(at, bytes)) {
      throw new DamagedInput(
          file.name(),
          fileOffset(at),
          "needs %d bytes at %d of %s, which has %d".formatted(bytes, at, label(number), length));
    }
  }
}
