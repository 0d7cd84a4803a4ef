package io.ntrail.testkit.ntr;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
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
   * @throws IllegalArgumentException if it is no recording, or of another major version
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

  /** What cannot be read, in the order of the file; neighbours are one. */
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

  /** What was defined: {@code process 1} and the like, with the fields in the order of the text. */
  public Map<String, String> definitions() {
    return definitions;
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

  /** What was recorded. */
  public Recording recording() {
    return recording;
  }

  /** Chunks of unknown kinds. */
  public int unknown() {
    return unknown;
  }

  // Section 1.

  private final class In {
    private final byte[] bytes;
    private int at;
    private final int end;

    In(byte[] bytes, int at, int end) {
      this.bytes = bytes;
      this.at = at;
      this.end = end;
    }

    boolean more() {
      return at < end;
    }

    long fixed(int size) {
      if (end - at < size) {
        throw new NtrFormatException("ends early");
      }
      long value = 0;
      for (int i = 0; i < size; i++) {
        value |= (bytes[at++] & 0xFFL) << 8 * i;
      }
      return value;
    }

    long var() {
      long value = 0;
      for (int i = 0; i < 10; i++) {
        long b = fixed(1);
        if (i == 9 && b > 1) {
          break;
        }
        value |= (b & 127) << 7 * i;
        if (b < 128) {
          return value;
        }
      }
      throw new NtrFormatException("no number");
    }

    long zig() {
      long v = var();
      return v % 2 == 0 ? v >>> 1 : ~(v >>> 1);
    }

    int upTo(long most) {
      long value = var();
      if (Long.compareUnsigned(value, most) > 0) {
        throw new NtrFormatException("too much: " + value);
      }
      return (int) value;
    }

    String text() {
      int length = upTo(file.length);
      if (length > end - at) {
        throw new NtrFormatException("text ends early");
      }
      at += length;
      return new String(bytes, at - length, length, StandardCharsets.UTF_8);
    }
  }

  private long number(int at, int size) {
    return new In(file, at, file.length).fixed(size);
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
    In in = new In(file, p + 32, p + 32 + (int) number(p + 8, 4));
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

  private void recording(In in) {
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

  private void definitions(In in) {
    while (in.more()) {
      long kind = in.var();
      int length = in.upTo(file.length);
      if (length > in.end - in.at) {
        throw new NtrFormatException("record ends early");
      }
      In record = new In(file, in.at, in.at + length);
      in.at += length;
      switch (kind >= 0 && kind < 9 ? (int) kind : 0) {
        case 1 -> define("process", record, "vvtt");
        case 2 -> define("process end", record, "vv");
        case 3 -> define("thread", record, "vvvt");
        case 4 -> define("thread end", record, "v");
        case 5 -> define("module", record, "vvvvvtp");
        case 6 -> define("module end", record, "v");
        case 7 -> define("function", record, "vvta");
        case 8 -> calibrations.add(List.of(record.var(), record.var(), record.var()));
        default -> {
          // Of a later version.
        }
      }
    }
  }

  private void define(String what, In in, String fields) {
    String name = what + " " + in.var();
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < fields.length(); i++) {
      switch (fields.charAt(i)) {
        case 'v' -> out.append(in.var()).append(' ');
        case 't' -> out.append(in.text()).append(' ');
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

  private record Frame(int site, long function, int slot, long key) {}

  private static final class Site {
    private long function;
    private long returnAddress;
    private int slotStep;
    private int shape;
    private long keyStep;
    private long last;
    private long secondLast;
    private final Map<Integer, Long> arguments = new HashMap<>();
    private final Map<Integer, Long> exits = new HashMap<>();
  }

  private void events(In in, int offset) {
    int start = in.at;
    long[] head = new long[14];
    for (int i = 0; i < 14; i++) {
      head[i] = in.fixed(i < 7 ? 8 : 4);
    }
    In[] columns = new In[7];
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
      columns[i] = new In(bytes, 0, bytes.length);
      at += (int) stored;
    }
    if (crc(file, start, start + 140) != in.fixed(4) || at != in.end) {
      throw new NtrFormatException("head");
    }
    if (head[7] > 1 << 20 || head[13] > 1 || (head[8] + 1) / 2 != columns[1].end) {
      throw new NtrFormatException("head says what cannot be");
    }
    new Decoder(head, columns, offset).run();
  }

  private final class Decoder {
    private final long[] head;
    private final In[] columns;
    private final int offset;
    private final Map<Integer, List<Frame>> stacks = new HashMap<>();
    private final List<Site> sites = new ArrayList<>(List.of(new Site()));
    private final Map<Integer, Integer> followed = new HashMap<>();
    private final List<String> open = new ArrayList<>();
    private final List<Event> to;
    private int area;
    private int context;
    private int frames;
    private int fewest;
    private long lastReturn;
    private long lastCode;
    private long ticks;
    private long made;
    private long calls;

    Decoder(long[] head, In[] columns, int offset) {
      this.head = head;
      this.columns = columns;
      this.offset = offset;
      this.to = events.computeIfAbsent(head[0], n -> new ArrayList<>());
      this.ticks = head[4];
    }

    void run() {
      openFrames();
      if (frames != head[10]) {
        throw new NtrFormatException("open frames");
      }
      fewest = frames;
      chunks.add(new Chunk(offset, head[0], head[1], head[6], (int) head[7], open));
      for (int i = 0; i < head[8]; i++) {
        int two = columns[1].bytes[i / 2] & 0xFF;
        operation(i % 2 == 0 ? two % 16 : two / 16);
      }
      boolean half = head[8] % 2 == 1 && (columns[1].bytes[(int) head[8] / 2] & 0xF0) != 0;
      boolean left = false;
      for (int i = 2; i < 7; i++) {
        left |= columns[i].more();
      }
      if (half
          || left
          || made != head[7]
          || calls != head[9]
          || frames != head[11]
          || fewest != head[12]) {
        throw new NtrFormatException("the head says otherwise");
      }
    }

    private void openFrames() {
      In in = columns[0];
      while (in.more()) {
        int of = in.upTo(0xFFFF_FFFFL);
        int count = in.upTo(8192 - frames);
        List<Frame> stack = new ArrayList<>();
        if (count == 0 || stacks.put(of, stack) != null) {
          throw new NtrFormatException("open area");
        }
        long key = 0;
        int slot = -1;
        long from = 0;
        long entered = 0;
        long call = 0;
        for (int i = 0; i < count; i++) {
          long function = in.var();
          key += in.zig();
          slot += (int) in.zig();
          from += in.zig();
          entered += in.zig();
          call += in.zig();
          stack.add(new Frame(0, function, slot, key));
          open.add(
              Integer.toUnsignedString(of)
                  + (" " + function + " " + slot + " " + key + " " + from)
                  + (" " + entered + " " + call));
        }
        frames += count;
      }
    }

    private void operation(int number) {
      switch (number) {
        case 0 -> {
          Integer site = followed.get(context);
          if (site == null) {
            throw new NtrFormatException("nothing followed");
          }
          entry(site);
        }
        case 1 -> entry(reference());
        case 2 -> {
          int site = reference();
          sites.get(site).keyStep += columns[3].zig();
          entry(site);
        }
        case 3 -> {
          if (sites.size() > 65_536) {
            throw new NtrFormatException("too many sites");
          }
          In in = columns[4];
          Site site = new Site();
          site.function = in.var();
          site.returnAddress = lastReturn + in.zig();
          site.keyStep = in.zig();
          site.slotStep = (int) in.zig();
          site.shape = in.upTo(127);
          if (site.shape % 64 > 32) {
            throw new NtrFormatException("arguments");
          }
          lastReturn = site.returnAddress;
          sites.add(site);
          entry(sites.size() - 1);
        }
        case 4, 5, 6, 7, 8 -> exit(number);
        case 9 -> {
          Frame frame = pop();
          lastCode += columns[5].zig();
          add(4, frame.function, frame.slot, frame.key, lastCode, List.of());
        }
        case 10 -> other();
        case 11 -> {
          List<Frame> stack = stack();
          int count = columns[6].upTo(stack.size());
          if (count == 0) {
            throw new NtrFormatException("nobody leaves");
          }
          stack.subList(stack.size() - count, stack.size()).clear();
          frames -= count;
          fewest = Math.min(fewest, frames);
        }
        case 12 -> area = columns[6].upTo(0xFFFF_FFFFL);
        default -> throw new NtrFormatException("operation " + number);
      }
    }

    private int reference() {
      int site = columns[3].upTo(sites.size() - 1);
      if (site == 0) {
        throw new NtrFormatException("site 0");
      }
      return site;
    }

    private List<Frame> stack() {
      return stacks.computeIfAbsent(area, a -> new ArrayList<>());
    }

    private void entry(int index) {
      Site site = sites.get(index);
      List<Frame> stack = stack();
      int slot = (stack.isEmpty() ? -1 : stack.getLast().slot) + site.slotStep;
      long key = (stack.isEmpty() ? 0 : stack.getLast().key) - site.keyStep;
      List<Long> arguments = new ArrayList<>();
      for (int i = 0; i < site.shape % 64; i++) {
        arguments.add(site.arguments.merge(i, columns[5].zig(), Long::sum));
      }
      boolean only = site.shape >= 64;
      add(only ? 10 : 2, site.function, slot, key, site.returnAddress, arguments);
      if (!only) {
        if (++frames > 8192) {
          to.removeLast();
          throw new NtrFormatException("too many frames");
        }
        stack.add(new Frame(index, site.function, slot, key));
      }
      followed.put(context, index);
      context = 2 * index;
    }

    private Frame pop() {
      List<Frame> stack = stack();
      if (stack.isEmpty()) {
        throw new NtrFormatException("no frame");
      }
      frames--;
      fewest = Math.min(fewest, frames);
      Frame frame = stack.removeLast();
      context = 2 * frame.site + 1;
      return frame;
    }

    private void exit(int number) {
      Frame frame = pop();
      Site site = sites.get(frame.site);
      List<Long> more = new ArrayList<>();
      long value =
          switch (number) {
            case 4 -> site.last;
            case 5 -> site.secondLast;
            case 7 -> columns[5].zig();
            default -> site.last + columns[5].zig();
          };
      if (number == 8) {
        int count = columns[5].upTo(32);
        if (count == 0) {
          throw new NtrFormatException("no more values");
        }
        for (int i = 0; i < count; i++) {
          more.add(site.exits.merge(i, columns[5].zig(), Long::sum));
        }
      }
      if (value != site.last) {
        site.secondLast = site.last;
        site.last = value;
      }
      add(3, frame.function, frame.slot, frame.key, value, more);
    }

    private void other() {
      In in = columns[6];
      int kind = in.upTo(0xFFFF_FFFFL);
      long function = in.var();
      int slot = in.upTo(0xFFFF_FFFFL);
      long key = in.var();
      long value = in.var();
      List<Long> more = new ArrayList<>();
      for (int i = in.upTo(32); i > 0; i--) {
        more.add(in.var());
      }
      add(kind, function, slot, key, value, more);
    }

    private void add(int kind, long function, int slot, long key, long value, List<Long> values) {
      ticks += columns[2].var();
      if (++made > head[7]) {
        throw new NtrFormatException("more events than the head says");
      }
      if (kind == 2) {
        calls++;
      }
      to.add(new Event(head[2] + made - 1, kind, ticks, function, area, slot, key, value, values));
    }
  }
}
