package io.ntrail.analysis.merge;

import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.compress.ReferenceDecoders;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Every byte of a recording that was made of others, beside what it has to be: read without the
 * product's reader, by the description of WMI_BUFFER_HEADER and TRACE_LOGFILE_HEADER.
 *
 * @param first file that the header buffer comes from
 * @param header fields of the header record that are the new file's own: bytes by their offset in
 *     the payload
 * @param names at the end of the header record
 * @param streams records by processor and session, in their order
 */
@SuppressWarnings("ArrayRecordComponent") // compared by its parts
record WrittenLayout(
    byte[] first,
    int bufferSize,
    boolean isCompressed,
    Map<Integer, byte[]> header,
    List<String> names,
    Map<String, List<Piece>> streams) {
  static final int HEADER = 72;
  private static final int RECORD_HEADER = 32;

  /** TRACE_LOGFILE_HEADER of 64 bits up to the names. */
  private static final int FIXED = 280;

  private static final int LOST_EVENTS = 2;
  private static final int LOST_BUFFER = 4;
  private static final int COMPRESSED = 0x40;
  private static final int SLACK = 0xFF;

  /** Number of the compression, in the State of the header buffer. */
  private static final int XPRESS = 3;

  /** Fields of a buffer's header: offset and bytes. */
  private static final Map<String, int[]> FIELDS =
      Map.ofEntries(
          Map.entry("BufferSize", new int[] {0x00, 4}),
          Map.entry("SavedOffset", new int[] {0x04, 4}),
          Map.entry("CurrentOffset", new int[] {0x08, 4}),
          Map.entry("ReferenceCount", new int[] {0x0C, 4}),
          Map.entry("TimeStamp", new int[] {0x10, 8}),
          Map.entry("SequenceNumber", new int[] {0x18, 8}),
          Map.entry("Clock", new int[] {0x20, 8}),
          Map.entry("ProcessorIndex", new int[] {0x28, 2}),
          Map.entry("LoggerId", new int[] {0x2A, 2}),
          Map.entry("State", new int[] {0x2C, 4}),
          Map.entry("Offset", new int[] {0x30, 4}),
          Map.entry("BufferFlag", new int[] {0x34, 2}),
          Map.entry("BufferType", new int[] {0x36, 2}),
          Map.entry("Context", new int[] {0x38, 16}));

  /**
   * Record that has to be there.
   *
   * @param of header of the buffer that it comes from
   * @param isBehindLoss true if that tells of a loss in front of this record
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by its parts
  record Piece(byte[] of, boolean isBehindLoss, String record) {}

  /**
   * Buffer of a file.
   *
   * @param place of it in the file
   * @param records padded to 8 bytes, as hexadecimal digits
   * @param end of the records
   * @param used bytes of the file until the filler
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by its parts
  record Buffer(int place, byte[] header, List<String> records, int end, int used) {
    int size() {
      return (int) LittleEndian.getU32(header, 0);
    }

    int processor() {
      return LittleEndian.getU16(header, 0x28);
    }

    int session() {
      return LittleEndian.getU16(header, 0x2A);
    }

    boolean isCompressed() {
      return (LittleEndian.getU16(header, 0x34) & COMPRESSED) != 0;
    }

    /** Returns the records without the bytes behind each, which may be anything elsewhere. */
    List<String> unpadded() {
      return records.stream().map(WrittenLayout::unpadded).toList();
    }

    boolean hasLoss() {
      return (LittleEndian.getU16(header, 0x34) & (LOST_EVENTS | LOST_BUFFER)) != 0;
    }

    /** Returns its records as pieces of a stream. */
    List<Piece> pieces() {
      return IntStream.range(0, records.size())
          .mapToObj(i -> new Piece(header, i == 0 && hasLoss(), records.get(i)))
          .toList();
    }
  }

  static List<Buffer> buffers(byte[] file) {
    List<Buffer> all = new ArrayList<>();
    for (int at = 0; at < file.length; ) {
      Buffer one = buffer(file, at);
      all.add(one);
      at += one.size();
    }
    return all;
  }

  private static Buffer buffer(byte[] file, int at) {
    byte[] header = Arrays.copyOfRange(file, at, at + HEADER);
    int size = (int) LittleEndian.getU32(header, 0);
    int end = (int) LittleEndian.getU32(header, 0x30);
    if (size < HEADER || at + size > file.length || end < HEADER) {
      throw new IllegalArgumentException("a buffer at " + at + " of " + size + " bytes");
    }
    boolean isPacked = (LittleEndian.getU16(header, 0x34) & COMPRESSED) != 0;
    byte[] area =
        isPacked
            ? ReferenceDecoders.xpress(
                Arrays.copyOfRange(file, at + HEADER, at + size), end - HEADER)
            : Arrays.copyOfRange(file, at + HEADER, at + end);
    if (isPacked) {
      mustEndAsItShould(file, at + HEADER, at + size, end - HEADER);
    }
    return new Buffer(at, header, records(area), end, at + (isPacked ? size : end));
  }

  /**
   * Makes sure that plain LZ77 ends with the data, and that the flags behind its last item are set,
   * as a compressor of Windows leaves them.
   */
  private static void mustEndAsItShould(byte[] file, int from, int to, int length) {
    int at = from;
    long flags = 0;
    int left = 0;
    int nibble = -1;
    for (int out = 0; out < length; ) {
      if (left == 0) {
        flags = LittleEndian.getU32(file, at);
        at += 4;
        left = 32;
      }
      left--;
      if ((flags >>> left & 1) == 0) {
        at++;
        out++;
        continue;
      }
      int match = file[at] & 7;
      at += 2;
      int more = 0;
      if (match == 7) {
        more = nibble < 0 ? file[at] & 15 : file[nibble] >>> 4 & 15;
        nibble = nibble < 0 ? at++ : -1;
        if (more == 15) {
          more = file[at++] & 0xFF;
          if (more == 0xFF) {
            more = LittleEndian.getU16(file, at) - 22;
            at += 2;
          }
          more += 15;
        }
      }
      out += match + more + 3;
    }
    if (left == 0 && at < to) {
      // Compressors begin the next flags as soon as they have used the last ones.
      flags = LittleEndian.getU32(file, at);
      at += 4;
      left = 32;
    }
    long unused = (1L << left) - 1;
    if (at != to || (flags & unused) != unused) {
      throw new IllegalArgumentException("compressed data ends at " + at + ", not at " + to);
    }
  }

  /**
   * Returns true for a byte of compressed data, for which another one may have the same meaning.
   */
  static boolean isEncoded(List<Buffer> all, int place) {
    return all.stream()
        .anyMatch(one -> one.isCompressed() && place >= one.place + HEADER && place < one.used);
  }

  private static List<String> records(byte[] area) {
    List<String> all = new ArrayList<>();
    for (int at = 0; at < area.length; ) {
      int size = size(area, at);
      if (size < 8) {
        throw new IllegalArgumentException("a record of " + size + " bytes");
      }
      int end = Math.min(at + size + 7 & ~7, area.length);
      all.add(HexFormat.of().formatHex(area, at, end));
      at = end;
    }
    return all;
  }

  private static int size(byte[] area, int at) {
    int kind = area[at + 2];
    boolean isSizeBehind = kind <= 4 || kind == 16 || kind == 17;
    return LittleEndian.getU16(area, isSizeBehind ? at + 4 : at);
  }

  /** Returns a record without the bytes behind it. */
  private static String unpadded(String record) {
    byte[] bytes = HexFormat.of().parseHex(record);
    return record.substring(0, 2 * size(bytes, 0));
  }

  /** Returns what is not as it has to be. */
  List<String> findings(byte[] file) {
    List<String> findings = new ArrayList<>();
    List<Buffer> all;
    try {
      all = buffers(file);
    } catch (RuntimeException e) {
      return List.of("cannot be read: " + e);
    }
    headerBuffer(file, all, findings);
    Map<String, List<Piece>> left = new LinkedHashMap<>();
    streams.forEach((key, pieces) -> left.put(key, new ArrayList<>(pieces)));
    for (int number = 1; number < all.size(); number++) {
      Buffer one = all.get(number);
      List<Piece> pieces = left.getOrDefault(one.processor() + "/" + one.session(), List.of());
      if (pieces.size() < one.records.size() || one.records.isEmpty()) {
        findings.add("buffer %d: %d records".formatted(number, one.records.size()));
        continue;
      }
      List<Piece> its = pieces.subList(0, one.records.size());
      if (!its.stream().map(Piece::record).toList().equals(one.records)) {
        findings.add("buffer " + number + ": records");
      }
      dataBuffer(number, one, its, findings);
      filler(file, one, findings);
      its.clear();
    }
    left.forEach((key, pieces) -> {
      if (!pieces.isEmpty()) {
        findings.add(pieces.size() + " records missing of " + key);
      }
    });
    return findings;
  }

  private void dataBuffer(int number, Buffer one, List<Piece> its, List<String> findings) {
    byte[] expected = its.getFirst().of.clone();
    int flags = LittleEndian.getU16(expected, 0x34) & ~COMPRESSED;
    if (its.stream().noneMatch(Piece::isBehindLoss)) {
      flags &= ~(LOST_EVENTS | LOST_BUFFER);
    }
    boolean isPacked = one.isCompressed();
    int size = isPacked ? one.used - one.place : isCompressed ? one.end : bufferSize;
    LittleEndian.putU32(expected, 0x00, size);
    LittleEndian.putU32(expected, 0x04, one.end);
    LittleEndian.putU32(expected, 0x08, one.end);
    LittleEndian.putU32(expected, 0x0C, 0);
    LittleEndian.putU64(expected, 0x18, number);
    LittleEndian.putU32(expected, 0x30, one.end);
    LittleEndian.putU16(expected, 0x34, isPacked ? flags | COMPRESSED : flags);
    compare("buffer " + number, expected, one.header, findings);
  }

  private static void filler(byte[] file, Buffer one, List<String> findings) {
    for (int at = one.used; at < one.place + one.size(); at++) {
      if ((file[at] & 0xFF) != SLACK) {
        findings.add("filler at " + at);
      }
    }
  }

  private static void compare(String what, byte[] expected, byte[] found, List<String> findings) {
    differences(expected, found).forEach(name -> findings.add(what + ": " + name));
  }

  /** Returns the names of the fields in which headers of buffers differ. */
  static Set<String> differences(byte[] a, byte[] b) {
    Set<String> differ = new TreeSet<>();
    FIELDS.forEach((name, place) -> {
      int to = place[0] + place[1];
      if (!Arrays.equals(a, place[0], to, b, place[0], to)) {
        differ.add(name);
      }
    });
    return differ;
  }

  private void headerBuffer(byte[] file, List<Buffer> all, List<String> findings) {
    Buffer one = all.getFirst();
    Buffer source = buffer(first, 0);
    String record = HexFormat.of().formatHex(headerRecord(all.size()));
    List<String> records = new ArrayList<>(List.of(record));
    records.addAll(source.records.subList(1, source.records.size()));
    if (!records.equals(one.records)) {
      findings.add("records of the header buffer");
    }
    byte[] expected = source.header.clone();
    int end = HEADER + String.join("", records).length() / 2;
    int size = isCompressed ? end + 511 & -512 : bufferSize;
    LittleEndian.putU32(expected, 0x00, size);
    LittleEndian.putU32(expected, 0x04, HEADER + record.length() / 2);
    LittleEndian.putU32(expected, 0x08, 0);
    LittleEndian.putU64(expected, 0x18, 0);
    LittleEndian.putU32(expected, 0x2C, isCompressed ? XPRESS : 0);
    LittleEndian.putU32(expected, 0x30, end);
    LittleEndian.putU16(expected, 0x36, 4);
    compare("header buffer", expected, one.header, findings);
    filler(file, one, findings);
  }

  /** Returns the header record as it has to be: that of the first file but for the fields. */
  private byte[] headerRecord(int buffers) {
    byte[] fixed = Arrays.copyOfRange(first, HEADER, HEADER + RECORD_HEADER + FIXED);
    LittleEndian.putU32(fixed, RECORD_HEADER, bufferSize);
    LittleEndian.putU32(fixed, RECORD_HEADER + 36, buffers);
    header.forEach(
        (offset, bytes) -> System.arraycopy(bytes, 0, fixed, RECORD_HEADER + offset, bytes.length));
    LittleEndian record = new LittleEndian().bytes(fixed);
    names.forEach(record::utf16z);
    int size = record.size();
    byte[] bytes = record.align(8).toByteArray();
    LittleEndian.putU16(bytes, 4, size);
    return bytes;
  }
}
