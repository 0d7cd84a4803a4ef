package io.ntrail.testkit.ntr;

import io.ntrail.testkit.ntr.ReferenceNtrReader.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Decoder of the operations of one chunk of events, by docs/ntr.md section 6. */
final class ReferenceDecoder {
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

  private final long[] head;
  private final ReferenceCursor[] columns;
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

  ReferenceDecoder(long[] head, ReferenceCursor[] columns, List<Event> to) {
    this.head = head;
    this.columns = columns;
    this.to = to;
    this.ticks = head[4];
  }

  /** Reads the frames that are open before the first event, and returns them as text. */
  List<String> openFrames() {
    readOpenFrames();
    if (frames != head[10]) {
      throw new NtrFormatException("open frames");
    }
    fewest = frames;
    return open;
  }

  /** Reads the events. */
  void events() {
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

  private void readOpenFrames() {
    ReferenceCursor in = columns[0];
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
        ReferenceCursor in = columns[4];
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
    ReferenceCursor in = columns[6];
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
