package io.ntrail.testkit.etl;

import io.ntrail.testkit.LittleEndian;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Spoils recordings: every method takes a file's bytes and returns spoiled ones of its own. Buffers
 * and records are counted from 0, buffer 0 being the header buffer; records can be addressed in
 * uncompressed buffers only.
 */
public final class Damage {
  private Damage() {}

  /** The first {@code length} bytes. */
  public static byte[] cutAt(byte[] file, int length) {
    return Arrays.copyOf(file, length);
  }

  /** Flips {@code count} bits anywhere, chosen by {@code seed}. */
  public static byte[] flipBits(byte[] file, long seed, int count) {
    return flipBits(file, seed, count, 0, file.length);
  }

  /** Flips {@code count} bits of the bytes {@code from} to {@code to}, chosen by {@code seed}. */
  public static byte[] flipBits(byte[] file, long seed, int count, int from, int to) {
    byte[] out = file.clone();
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < count; i++) {
      int at = random.nextInt(from, to);
      out[at] = (byte) (out[at] ^ (1 << random.nextInt(8)));
    }
    return out;
  }

  /** Overwrites a range with random bytes. */
  public static byte[] garbage(byte[] file, int from, int length, long seed) {
    byte[] out = file.clone();
    byte[] noise = new byte[length];
    new SplittableRandom(seed).nextBytes(noise);
    System.arraycopy(noise, 0, out, from, length);
    return out;
  }

  /** Overwrites a range with zeros. */
  public static byte[] zero(byte[] file, int from, int length) {
    byte[] out = file.clone();
    Arrays.fill(out, from, from + length, (byte) 0);
    return out;
  }

  /** Takes a range out, so that everything after it is shifted. */
  public static byte[] remove(byte[] file, int from, int length) {
    byte[] out = Arrays.copyOf(file, file.length - length);
    System.arraycopy(file, from + length, out, from, file.length - from - length);
    return out;
  }

  /** Replaces a whole buffer, its header included, by random bytes. */
  public static byte[] garbageBuffer(byte[] file, int buffer, long seed) {
    int at = bufferOffsets(file).get(buffer);
    return garbage(file, at, Math.min((int) LittleEndian.getU32(file, at), file.length - at), seed);
  }

  /** Replaces a whole buffer by zeros. */
  public static byte[] zeroBuffer(byte[] file, int buffer) {
    int at = bufferOffsets(file).get(buffer);
    return zero(file, at, (int) LittleEndian.getU32(file, at));
  }

  /** Sets a buffer's BufferSize. */
  public static byte[] bufferSize(byte[] file, int buffer, long value) {
    return setU32(file, bufferOffsets(file).get(buffer), value);
  }

  /** Sets a buffer's SavedOffset. */
  public static byte[] savedOffset(byte[] file, int buffer, long value) {
    return setU32(file, bufferOffsets(file).get(buffer) + 0x04, value);
  }

  /** Sets a buffer's Offset, the end of its records. */
  public static byte[] offset(byte[] file, int buffer, long value) {
    return setU32(file, bufferOffsets(file).get(buffer) + 0x30, value);
  }

  /** Sets the size field of a record, 0 included. */
  public static byte[] recordSize(byte[] file, int buffer, int record, int value) {
    int at = recordOffsets(file, buffer).get(record);
    byte[] out = file.clone();
    LittleEndian.putU16(out, at + sizeAt(file, at), value);
    return out;
  }

  /**
   * Gives records of the kernel logger the hook id of another type, all of them or one of several:
   * then they are none of their type.
   *
   * @param every 1 for all of them, 2 for every second one
   */
  public static byte[] hookId(byte[] file, int every, int hook, int other) {
    byte[] out = file.clone();
    int seen = 0;
    for (int buffer = 0; buffer < bufferOffsets(file).size(); buffer++) {
      for (int at : recordOffsets(file, buffer)) {
        boolean isOne = hasHookId(file, at) && LittleEndian.getU16(file, at + 6) == hook;
        if (isOne && seen++ % every == 0) {
          LittleEndian.putU16(out, at + 6, other);
        }
      }
    }
    return out;
  }

  /**
   * Cuts a record of the kernel logger, one in the middle of those of a type; a record of an
   * unknown type takes the rest of its place.
   *
   * @param size bytes that are left, its header included
   */
  public static byte[] cutRecord(byte[] file, int hook, int size) {
    List<Integer> found = new ArrayList<>();
    for (int buffer = 0; buffer < bufferOffsets(file).size(); buffer++) {
      for (int at : recordOffsets(file, buffer)) {
        if (hasHookId(file, at) && LittleEndian.getU16(file, at + 6) == hook) {
          found.add(at);
        }
      }
    }
    int at = found.get(found.size() / 2);
    int padded = size + 7 & ~7;
    int room = (LittleEndian.getU16(file, at + 4) + 7 & ~7) - padded;
    byte[] rest = new LittleEndian().u16(2).u16(0xC011).u16(room).u16(0x0FF1).toByteArray();
    byte[] out = file.clone();
    LittleEndian.putU16(out, at + 4, size);
    System.arraycopy(rest, 0, out, at + padded, rest.length);
    // Headers of processes and threads have ids in front of the time.
    int time = at + (file[at + 2] < 16 ? 16 : 8);
    System.arraycopy(file, time, out, at + padded + rest.length, Long.BYTES);
    return out;
  }

  private static boolean hasHookId(byte[] file, int at) {
    int kind = file[at + 2];
    return kind >= 1 && kind <= 4 || kind == 16 || kind == 17;
  }

  /** Sets the marker, the first four bytes, of a record. */
  public static byte[] marker(byte[] file, int buffer, int record, long value) {
    return setU32(file, recordOffsets(file, buffer).get(record), value);
  }

  /**
   * Sets the total size of an extended item of a provider's event.
   *
   * @param item counted from 0
   */
  public static byte[] itemSize(byte[] file, int buffer, int record, int item, int value) {
    return setItem(file, buffer, record, item, 0, value);
  }

  /** Sets the data size of an extended item; parameters as of {@link #itemSize}. */
  public static byte[] itemDataSize(byte[] file, int buffer, int record, int item, int value) {
    return setItem(file, buffer, record, item, 6, value);
  }

  /** Marks the last extended item as followed by another (or any other as the last). */
  public static byte[] itemLinkage(byte[] file, int buffer, int record, int item, int value) {
    return setItem(file, buffer, record, item, 4, value);
  }

  private static byte[] setItem(
      byte[] file, int buffer, int record, int item, int field, int value) {
    int at = recordOffsets(file, buffer).get(record) + 80;
    for (int i = 0; i < item; i++) {
      at += LittleEndian.getU16(file, at);
    }
    byte[] out = file.clone();
    LittleEndian.putU16(out, at + field, value);
    return out;
  }

  private static byte[] setU32(byte[] file, int at, long value) {
    byte[] out = file.clone();
    LittleEndian.putU32(out, at, value);
    return out;
  }

  private static int sizeAt(byte[] file, int record) {
    int type = file[record + 2] & 0xFF;
    boolean framed = (file[record + 3] & 0xFF) == 0xC0;
    return framed && (type <= 4 || type == 16 || type == 17) ? 4 : 0;
  }

  /** Returns the offsets of the buffers of an undamaged file. */
  public static List<Integer> bufferOffsets(byte[] file) {
    List<Integer> offsets = new ArrayList<>();
    long at = 0;
    while (at + 72 <= file.length) {
      long size = LittleEndian.getU32(file, (int) at);
      if (size < 72) {
        break;
      }
      offsets.add((int) at);
      at += size;
    }
    return offsets;
  }

  /** Returns the file offsets of the records in an uncompressed buffer of an undamaged file. */
  public static List<Integer> recordOffsets(byte[] file, int buffer) {
    int start = bufferOffsets(file).get(buffer);
    int end = start + (int) LittleEndian.getU32(file, start + 0x30);
    if ((LittleEndian.getU16(file, start + 0x34) & 0x40) != 0) {
      throw new IllegalArgumentException("buffer " + buffer + " is compressed");
    }
    List<Integer> offsets = new ArrayList<>();
    for (int at = start + 72; at < end; ) {
      offsets.add(at);
      at += (LittleEndian.getU16(file, at + sizeAt(file, at)) + 7) & ~7;
    }
    return offsets;
  }
}
