package io.ntrail.testkit.profile;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Assignment of stacks to events. */
final class StackMatcher {
  /**
   * A part of a stack.
   *
   * @param pid the process in which its addresses mean something
   */
  private record Part(long pid, long tid, List<Long> frames) {}

  /**
   * A whole stack, innermost frame first.
   *
   * @param pid the process in which its addresses mean something
   * @param ordinal when it was taken
   */
  record Stack(long pid, int ordinal, List<Long> frames) {
    /** The stack with the address at which the event happened. */
    Stack under(long ip) {
      if (!frames.isEmpty() && frames.getFirst() == ip) {
        return this;
      }
      List<Long> all = new ArrayList<>(frames);
      all.addFirst(ip);
      return new Stack(pid, ordinal, all);
    }
  }

  private record Halves(long pid, long tid, long matchId) {}

  private final List<OrderedRecord> records;
  private final ProcessLifetimes lives;
  private final LoadedCode code;
  private final Map<Integer, List<Part>> parts = new HashMap<>();

  /** Stack records for which there is no event. */
  long unmatched;

  /** References to keys that are never defined afterwards. */
  long missing;

  StackMatcher(List<OrderedRecord> records, ProcessLifetimes lives, LoadedCode code) {
    this.records = records;
    this.lives = lives;
    this.code = code;
    for (OrderedRecord rec : records) {
      if (rec.isStack()) {
        record(rec);
      }
    }
    items();
    for (OrderedRecord rec : records) {
      if (rec.isClrStack()) {
        clr(rec);
      }
    }
  }

  private static List<Long> list(long[] frames) {
    return Arrays.stream(frames).boxed().toList();
  }

  private static List<OrderedRecord> narrowed(
      List<OrderedRecord> from, Predicate<OrderedRecord> by) {
    List<OrderedRecord> kept = from.stream().filter(by).toList();
    return kept.isEmpty() ? from : kept;
  }

  /** Returns true if an event is of a thread, as far as its stack goes. */
  private static boolean isOf(OrderedRecord rec, long tid) {
    return switch (rec.hook) {
      case 0x0524 -> {
        LittleEndianReader in = rec.payload();
        long next = in.u32();
        yield next == tid || in.u32() == tid;
      }
      // The stack is that of the acting thread, not of the affected one.
      case 0x0532, 0x0501, 0x0502 -> (rec.tid != OrderedRecord.NONE ? rec.tid : rec.running) == tid;
      default -> rec.thread() == tid;
    };
  }

  private static boolean tellsThread(OrderedRecord event) {
    return event.hook == 0x0524
        || event.namedThread() != OrderedRecord.NONE
        || event.tid != OrderedRecord.NONE;
  }

  private void record(OrderedRecord rec) {
    LittleEndianReader in = rec.payload();
    long time = in.u64();
    long pid = in.u32();
    long tid = in.u32();
    List<OrderedRecord> events = new ArrayList<>();
    for (OrderedRecord event : records) {
      if (event.time == time && event.mayHaveStack()) {
        events.add(event);
      }
    }
    if (events.isEmpty()) {
      unmatched++;
      return;
    }
    events = narrowed(events, event -> isOf(event, tid));
    // A thread in the event itself wins over the thread of the CPU.
    events = narrowed(events, StackMatcher::tellsThread);
    int cpu = firstPart(rec, time, tid).cpu;
    events = narrowed(events, event -> event.cpu == cpu);
    events = narrowed(events, OrderedRecord::kernel);
    List<Long> frames = rec.hook == 0x1820 ? list(in.pointers()) : definition(in.p(), rec.ordinal);
    add(events.getFirst(), new Part(pid, tid, frames));
  }

  /**
   * Returns the first part of the stack that a record is a part of: a later one may be recorded
   * when the thread has gone to another CPU. Thread 0 is one of each CPU, and goes nowhere.
   */
  private OrderedRecord firstPart(OrderedRecord part, long time, long tid) {
    for (OrderedRecord rec : records) {
      if (tid != 0 && rec.isStack()) {
        LittleEndianReader in = rec.payload();
        if (in.u64() == time && in.u32() >= 0 && in.u32() == tid) {
          return rec;
        }
      }
    }
    return part;
  }

  /** The frames of the first definition of a key after a reference to it. */
  private List<Long> definition(long key, int reference) {
    for (OrderedRecord rec : records) {
      if (rec.isDefinition() && rec.ordinal > reference) {
        LittleEndianReader in = rec.payload();
        if (in.p() == key) {
          return list(in.pointers());
        }
      }
    }
    missing++;
    return List.of();
  }

  private void add(OrderedRecord event, Part part) {
    if (!part.frames.isEmpty()) {
      parts.computeIfAbsent(event.ordinal, k -> new ArrayList<>()).add(part);
    }
  }

  private void items() {
    Map<Halves, OrderedRecord> firsts = new LinkedHashMap<>();
    Map<Halves, List<Part>> halves = new LinkedHashMap<>();
    for (OrderedRecord rec : records) {
      for (OrderedRecord.Item item : rec.items) {
        if (!item.isStack()) {
          continue;
        }
        LittleEndianReader in = item.data().with(item.type() == 5 || item.type() == 17 ? 4 : 8);
        long matchId = in.u64();
        List<Long> frames =
            item.type() <= 6 ? list(in.pointers()) : definition(in.p(), rec.ordinal);
        Part part = new Part(rec.pid, rec.tid, frames);
        if (matchId == 0) {
          add(rec, part);
        } else {
          Halves key = new Halves(rec.pid, rec.tid, matchId);
          firsts.putIfAbsent(key, rec);
          halves.computeIfAbsent(key, k -> new ArrayList<>()).add(part);
        }
      }
    }
    halves.forEach((key, both) -> {
      OrderedRecord first = firsts.get(key);
      if (first == null) {
        return;
      }
      both.stream().filter(this::isKernel).forEach(part -> add(first, part));
      both.stream().filter(part -> !isKernel(part)).forEach(part -> add(first, part));
    });
  }

  private boolean isKernel(Part part) {
    return !part.frames.isEmpty() && code.ofKernel(part.frames.getFirst());
  }

  /** Returns true if an event brings half of a stack, of its own or of an event before it. */
  private static boolean isHalf(OrderedRecord rec) {
    return rec.items.stream()
        .filter(OrderedRecord.Item::isStack)
        .anyMatch(item -> item.data().with(8).u64() != 0);
  }

  private void clr(OrderedRecord stack) {
    @Nullable OrderedRecord event = null;
    for (OrderedRecord rec : records) {
      if (rec.ordinal < stack.ordinal
          && rec.ofClr()
          && !rec.isClrStack()
          && rec.tid == stack.tid
          && rec.pid == stack.pid) {
        event = rec;
      }
    }
    if (event != null && !parts.containsKey(event.ordinal) && !isHalf(event)) {
      LittleEndianReader in = stack.payload().skip(4);
      long count = in.u32();
      List<Long> frames = list(in.pointers()).stream().limit(count).toList();
      add(event, new Part(stack.pid, stack.tid, frames));
    }
  }

  /** The stack of an event; empty without one. */
  Stack of(OrderedRecord rec) {
    return whole(rec, parts.getOrDefault(rec.ordinal, List.of()));
  }

  /** Of the stacks of a context switch that of a thread; null if it has none. */
  @Nullable Stack of(OrderedRecord rec, long tid) {
    List<Part> own =
        parts.getOrDefault(rec.ordinal, List.of()).stream().filter(p -> p.tid == tid).toList();
    return own.isEmpty() ? null : whole(rec, own);
  }

  private Stack whole(OrderedRecord rec, List<Part> all) {
    List<Long> frames = new ArrayList<>();
    all.forEach(part -> frames.addAll(part.frames));
    long pid = all.isEmpty() ? lives.processOf(rec) : all.getFirst().pid;
    return new Stack(pid, rec.ordinal, frames);
  }
}
