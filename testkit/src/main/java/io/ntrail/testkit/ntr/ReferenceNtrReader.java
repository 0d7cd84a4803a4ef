package io.ntrail.testkit.ntr;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code .ntr} files that fit into memory: written from docs/ntr.md alone, without looks at
 * another reader, and without its index. Slow and plain, so that a person can hold it against the
 * text.
 */
public final class ReferenceNtrReader {
  /** An event, with the number it has in its thread. */
  public record Event(
      long number,
      int kind,
      long ticks,
      long function,
      int area,
      int slot,
      long key,
      long value,
      List<Long> values) {}

  /** A stretch that cannot be read. */
  public record Hole(long offset, long bytes) {}

  /** A chunk of events whose checksums are right. */
  public record Chunk(
      long offset, long thread, long sequence, long lost, int events, List<String> open) {}

  /** The last intact recording chunk, as numbers in the order of the text, and the writer. */
  public record Recording(List<Long> numbers, String writer) {}

  private final byte[] file;
  private final Map<Long, List<Event>> events = new TreeMap<>();
  private final List<Chunk> chunks = new ArrayList<>();
  private final List<Hole> holes = new ArrayList<>();
  private final Map<String, String> definitions = new TreeMap<>();
  private final List<String> parts = new ArrayList<>();
  private final List<List<Long>> calibrations = new ArrayList<>();
  private final Map<Long, Long> statistics = new TreeMap<>();
  private Recording recording = new Recording(List.of(), "");
  private int unknown;

  private ReferenceNtrReader(byte[] file) {
    this.file = file;
  }

  /**
   * Reads a whole file.
   *
   * @throws IllegalArgumentException if it is not a recording, or of another major version
   */
  public static ReferenceNtrReader read(byte[] file) {
    ReferenceNtrReader ntr = new ReferenceNtrReader(file);
    ntr.walk();
    return ntr;
  }

  /** The events of each thread. */
  public Map<Long, List<Event>> events() {
    return events;
  }

  /** The chunks of events in the order of the file. */
  public List<Chunk> chunks() {
    return chunks;
  }

  /** Returns the unreadable ranges in the order of the file; neighbours are one. */
  public List<Hole> holes() {
    List<Hole> merged = new ArrayList<>();
    holes.sort((a, b) -> Long.compare(a.offset, b.offset));
    for (Hole hole : holes) {
      Hole last = merged.isEmpty() ? null : merged.getLast();
      if (last != null && last.offset + last.bytes == hole.offset && hole.bytes > 0) {
        merged.set(merged.size() - 1, new Hole(last.offset, last.bytes + hole.bytes));
      } else {
        merged.add(hole);
      }
    }
    return merged;
  }

  /**
   * Returns the definitions: {@code process 1} and the like, with the fields in the order of the
   * text.
   */
  public Map<String, String> definitions() {
    return definitions;
  }

  /** Returns what a part of a recording tells of what is not in it, in the order of the file. */
  public List<String> parts() {
    return parts;
  }

  /** Calibrations in the order of the file. */
  public List<List<Long>> calibrations() {
    return calibrations;
  }

  /**
   * Nanoseconds since the recording began, by the rules of section 4; null if only ticks are known.
   */
  public @Nullable BigInteger time(long ticks) {
    List<BigInteger[]> counted = new ArrayList<>();
    List<List<Long>> inOrder = new ArrayList<>(calibrations);
    inOrder.sort((a, b) -> unsigned(a.get(0)).compareTo(unsigned(b.get(0))));
    for (List<Long> one : inOrder) {
      BigInteger[] point = {unsigned(one.get(0)), unsigned(one.get(1))};
      BigInteger[] last = counted.isEmpty() ? null : counted.getLast();
      if (point[1].bitLength() < 64
          && (last == null || point[0].compareTo(last[0]) > 0 && point[1].compareTo(last[1]) > 0)) {
        counted.add(point);
      }
    }
    BigInteger rate = recording.numbers.isEmpty() ? BigInteger.ZERO : number(1);
    if (counted.size() < 2) {
      if (rate.signum() == 0) {
        return null;
      }
      if (counted.isEmpty()) {
        counted.add(new BigInteger[] {number(2), BigInteger.ZERO});
      }
      BigInteger[] only = counted.getFirst();
      counted.add(
          new BigInteger[] {only[0].add(rate), only[1].add(BigInteger.valueOf(1_000_000_000))});
    }
    BigInteger when = unsigned(ticks);
    int line = 0;
    while (line + 2 < counted.size() && counted.get(line + 1)[0].compareTo(when) <= 0) {
      line++;
    }
    BigInteger[] from = counted.get(line);
    BigInteger[] to = counted.get(line + 1);
    BigInteger[] parts =
        when.subtract(from[0])
            .multiply(to[1].subtract(from[1]))
            .divideAndRemainder(to[0].subtract(from[0]));
    BigInteger down = parts[1].signum() < 0 ? BigInteger.ONE : BigInteger.ZERO;
    return from[1].add(parts[0]).subtract(down);
  }

  private BigInteger number(int which) {
    return unsigned(recording.numbers.get(which));
  }

  private static BigInteger unsigned(long number) {
    return new BigInteger(Long.toUnsignedString(number));
  }

  /** Counters by number. */
  public Map<Long, Long> statistics() {
    return statistics;
  }

  /** Returns the recording. */
  public Recording recording() {
    return recording;
  }

  /** Chunks of unknown kinds. */
  public int unknown() {
    return unknown;
  }

  // Section 1.

  private ReferenceCursor cursor(int at, int end) {
    return new ReferenceCursor(file, at, end, file.length);
  }

  private long number(int at, int size) {
    return cursor(at, file.length).fixed(size);
  }

  private static long crc(byte[] bytes, int from, int to) {
    long crc = 0xFFFF_FFFFL;
    for (int i = from; i < to; i++) {
      crc ^= bytes[i] & 0xFF;
      for (int bit = 0; bit < 8; bit++) {
        crc = crc % 2 == 1 ? crc / 2 ^ 0x82F6_3B78L : crc / 2;
      }
    }
    return crc ^ 0xFFFF_FFFFL;
  }

  // Sections 2 and 8.

  private boolean anyHeader(int p) {
    return p + 32 <= file.length
        && number(p, 4) == 0x6352544EL
        && crc(file, p, p + 28) == number(p + 28, 4)
        && number(p + 8, 4) <= 1 << 24;
  }

  private long end(int p) {
    return p + 32 + (number(p + 8, 4) + 7) / 8 * 8;
  }

  private void walk() {
    int first = 0;
    while (!anyHeader(first)) {
      first += 8;
      if (first + 32 > Math.min(file.length, 65_536)) {
        throw new IllegalArgumentException("no recording");
      }
    }
    long id = number(first + 24, 4);
    long passed = -1;
    int p = 0;
    while (p < file.length) {
      int q = p;
      while (q < file.length
          && !(anyHeader(q)
              && number(q + 24, 4) == id
              && number(q + 16, 8) > passed
              && end(q) <= file.length)) {
        q += 8;
      }
      q = Math.min(q, file.length);
      if (q > p) {
        holes.add(new Hole(p, q - p));
      } else if (number(q + 16, 8) != passed + 1) {
        holes.add(new Hole(p, 0));
      }
      if (q < file.length) {
        passed = number(q + 16, 8);
        p = (int) end(q);
        chunk(q, p);
      } else {
        p = q;
      }
    }
  }

  private void chunk(int p, int end) {
    int kind = (int) number(p + 4, 2);
    long flags = number(p + 6, 2);
    ReferenceCursor in = cursor(p + 32, p + 32 + (int) number(p + 8, 4));
    if (kind < 1 || kind > 6) {
      unknown++;
      if (flags % 2 == 1) {
        holes.add(new Hole(p, end - p));
      }
      return;
    }
    try {
      if (flags > 1) {
        unknown++;
        throw new NtrFormatException("flags");
      }
      if (crc(file, p + 32, end) != number(p + 12, 4)) {
        throw new NtrFormatException("checksum");
      }
      switch (kind) {
        case 1 -> recording(in);
        case 2 -> definitions(in);
        case 3 -> events(in, p);
        case 4 -> {
          while (in.more()) {
            long counter = in.var();
            statistics.put(counter, in.var());
          }
        }
        default -> {
          // The index is not used here.
        }
      }
    } catch (NtrFormatException e) {
      holes.add(new Hole(p, end - p));
    }
  }

  // Sections 3 and 4.

  private void recording(ReferenceCursor in) {
    long major = in.fixed(2);
    long minor = in.fixed(2);
    long flags = in.fixed(4);
    if (major != 1 || (flags & 0xFFFC) != 0) {
      throw new IllegalArgumentException("version " + major + "." + minor);
    }
    List<Long> numbers = new ArrayList<>(List.of(flags));
    for (int size : new int[] {8, 8, 8, 2, 2, 4}) {
      numbers.add(in.fixed(size));
    }
    recording = new Recording(numbers, in.text());
  }

  private void definitions(ReferenceCursor in) {
    while (in.more()) {
      long kind = in.var();
      int length = in.upTo(file.length);
      if (length > in.end - in.at) {
        throw new NtrFormatException("record ends early");
      }
      ReferenceCursor record = cursor(in.at, in.at + length);
      in.at += length;
      switch (kind >= 0 && kind <= 16 ? (int) kind : 0) {
        case 1 -> define("process", record, "vvttm");
        case 2 -> define("process end", record, "vv");
        case 3 -> define("thread", record, "vvvt");
        case 4 -> define("thread end", record, "v");
        case 5 -> define("module", record, "vvvvvtp");
        case 6 -> define("module end", record, "v");
        case 7 -> define("function", record, "vvtac");
        case 8 -> calibrations.add(List.of(record.var(), record.var(), record.var()));
        case 9 -> define("untraced", record, "vvvtt");
        case 10 -> define("totals", record, "vvvvwvs");
        case 11 -> define("hold", record, "vvvt");
        case 12 -> define("callers", record, "vvvvwtf");
        case 13, 14, 15, 16 -> leftOut((int) kind, record);
        default -> {
          // Of a later version.
        }
      }
    }
  }

  /** Reads what a part of a recording tells of what is not in it: section 12. */
  private void leftOut(int kind, ReferenceCursor in) {
    String number = Long.toUnsignedString(in.var());
    parts.add(
        switch (kind) {
          case 13 -> "omission " + number + ": " + in.var() + " " + in.text();
          case 14 -> {
            String place = "gap %s: %d %d".formatted(number, in.var(), in.zig());
            yield place + " " + in.text() + ", " + in.text() + ", " + in.text();
          }
          case 15 -> "whole thread " + number + ": " + in.var() + " " + in.upTo(1);
          default -> "lost elsewhere: " + number;
        });
  }

  private void define(String what, ReferenceCursor in, String fields) {
    String name = what + " " + in.var();
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < fields.length(); i++) {
      switch (fields.charAt(i)) {
        case 'v' -> out.append(in.var()).append(' ');
        case 'w' -> out.append(in.upTo(0xFFFF_FFFFL)).append(' ');
        case 's' -> {
          // Ends and times of calls: eight numbers and a histogram.
          if (in.upTo(1) == 1) {
            for (int number = 0; number < 8; number++) {
              out.append(in.var()).append(' ');
            }
            for (int count = in.upTo(64); count > 0; count--) {
              out.append(in.var()).append(' ');
            }
          }
        }
        case 't' -> out.append(in.text()).append(' ');
        // What may be missing.
        case 'm' -> out.append(in.more() ? in.upTo(0xFFFF_FFFFL) + " " : "");
        case 'f' -> {
          // Frames: each address is that of the frame before, plus a signed number.
          long address = 0;
          for (int count = in.upTo(1024); count > 0; count--) {
            long coded = in.var();
            address += coded >>> 1 ^ -(coded & 1);
            out.append("%x ".formatted(address)).append(in.upTo(0xFFFF_FFFFL)).append(' ');
            out.append(in.var()).append(' ');
          }
        }
        case 'c' -> {
          // A prototype, if there is more: of conventions that are not known, nothing.
          if (in.more()) {
            long convention = in.upTo(0xFFFF_FFFFL);
            StringBuilder prototype = new StringBuilder();
            prototype.append(convention).append(' ').append(in.upTo(0xFFFF_FFFFL) & 7).append(' ');
            for (int count = in.upTo(32); count > 0; count--) {
              prototype.append(in.upTo(0xFFFF_FFFFL)).append(' ');
            }
            out.append(convention >= 1 && convention <= 5 ? prototype : "");
          }
        }
        case 'p' -> {
          if (in.upTo(1) == 1) {
            out.append("%016x %016x ".formatted(in.fixed(8), in.fixed(8)));
            out.append(in.var()).append(' ').append(in.text());
          }
        }
        default -> {
          for (int count = in.upTo(32); count > 0; count--) {
            out.append(in.upTo(0xFFFF_FFFFL)).append(' ');
          }
        }
      }
    }
    if (what.endsWith("end")) {
      // Ends of what was not defined say nothing.
      if (!definitions.containsKey(name.replace(" end", ""))) {
        return;
      }
      // Nothing ends at tick 0: that takes an end back.
      if (out.toString().startsWith("0 ") || out.toString().strip().equals("0")) {
        definitions.remove(name);
        return;
      }
    } else {
      // A new definition begins anew.
      definitions.remove(name.replace(" ", " end "));
    }
    definitions.put(name, out.toString().strip());
  }

  // Sections 5 and 6.

  private void events(ReferenceCursor in, int offset) {
    int start = in.at;
    long[] head = new long[14];
    for (int i = 0; i < 14; i++) {
      head[i] = in.fixed(i < 7 ? 8 : 4);
    }
    ReferenceCursor[] columns = new ReferenceCursor[7];
    int at = start + 144;
    long plainSum = 0;
    for (int i = 0; i < 7; i++) {
      long stored = in.fixed(4);
      long plain = in.fixed(4);
      plainSum += plain;
      if (stored > plain || plainSum > 1 << 24 || at + stored > in.end) {
        throw new NtrFormatException("column");
      }
      byte[] bytes = Arrays.copyOfRange(file, at, at + (int) stored);
      if (stored < plain) {
        bytes = ReferenceInflate.unpack(bytes);
        if (bytes.length != plain) {
          throw new NtrFormatException("column unpacks to another size");
        }
      }
      columns[i] = new ReferenceCursor(bytes, 0, bytes.length, file.length);
      at += (int) stored;
    }
    if (crc(file, start, start + 140) != in.fixed(4) || at != in.end) {
      throw new NtrFormatException("head");
    }
    if (head[7] > 1 << 20 || head[13] > 1 || (head[8] + 1) / 2 != columns[1].end) {
      throw new NtrFormatException("head says what cannot be");
    }
    List<Event> to = events.computeIfAbsent(head[0], n -> new ArrayList<>());
    ReferenceDecoder decoder = new ReferenceDecoder(head, columns, to);
    List<String> open = decoder.openFrames();
    chunks.add(new Chunk(offset, head[0], head[1], head[6], (int) head[7], open));
    decoder.events();
  }
}
