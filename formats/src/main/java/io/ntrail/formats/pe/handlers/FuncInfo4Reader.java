package io.ntrail.formats.pe.handlers;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.collections.LongIntMap;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.handlers.CxxFunction.Action;
import io.ntrail.formats.pe.handlers.CxxFunction.Catch;
import io.ntrail.formats.pe.handlers.CxxFunction.IpState;
import io.ntrail.formats.pe.handlers.CxxFunction.Step;
import io.ntrail.formats.pe.handlers.CxxFunction.Try;
import io.ntrail.formats.pe.handlers.FuncInfo4.Segment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Parses a {@link FuncInfo4}; keeps what was read up to damage. */
final class FuncInfo4Reader {
  private final TypeDescriptorNames names;
  private final ImageView view;
  private final long rva;
  private final long function;
  private final List<Step> steps = new ArrayList<>();
  private final List<Try> tries = new ArrayList<>();
  private final List<Segment> segments = new ArrayList<>();
  private int header;
  private long blockFlags;
  private long frameOffset;
  private @Nullable String damage;

  /** Number of entries that may still be read, in all lists together. */
  private int left = CxxFunction.MOST;

  FuncInfo4Reader(PeImage image, long rva, long function) {
    this.names = new TypeDescriptorNames(image);
    this.view = image.view();
    this.rva = rva;
    this.function = function;
  }

  FuncInfo4 read() {
    try {
      header();
    } catch (DamagedInput e) {
      damaged(e.what());
    }
    return new FuncInfo4(
        rva,
        function,
        header,
        blockFlags,
        List.copyOf(steps),
        List.copyOf(tries),
        List.copyOf(segments),
        frameOffset,
        Optional.ofNullable(damage));
  }

  private void damaged(String why) {
    if (damage == null) {
      damage = why;
    }
  }

  /** A place that moves on as it is read. */
  private final class Cursor {
    private long at;

    Cursor(long at) {
      this.at = at;
    }

    int u8() {
      return view.u8(at++);
    }

    long u32() {
      at += 4;
      return view.u32(at - 4);
    }

    /**
     * Reads a compressed number: one to four bytes by its low bits, or the four after the first.
     */
    long number() {
      int first = view.u8(at);
      int ones = Integer.numberOfTrailingZeros(~first & 0xF);
      long value =
          switch (ones) {
            case 0 -> first >> 1;
            case 1 -> view.u16(at) >> 2;
            case 2 -> (view.u16(at) | (long) view.u8(at + 2) << 16) >> 3;
            case 3 -> view.u32(at) >> 4;
            default -> view.u32(at + 1);
          };
      at += Math.min(ones, 4) + 1;
      return value;
    }

    /** Reads a number of entries, bounded by what is possible. */
    int count(String what) {
      long stored = number();
      long room = Math.min(left, view.available(at));
      if (stored > room) {
        damaged("its " + what + " claims " + stored + " entries, but has room for only " + room);
      }
      int count = (int) Math.min(stored, room);
      left -= count;
      return count;
    }
  }

  private void header() {
    Cursor cursor = new Cursor(rva);
    header = cursor.u8();
    if ((header & 0x80) != 0) {
      damaged("its flags are " + Integer.toHexString(header) + "h, with an unknown one");
    }
    blockFlags = has(FuncInfo4.OPTIMIZED) ? cursor.number() : 0;
    long stepsAt = has(FuncInfo4.UNWIND_MAP) ? cursor.u32() : 0;
    long triesAt = has(FuncInfo4.TRY_MAP) ? cursor.u32() : 0;
    long statesAt = cursor.u32();
    frameOffset = has(FuncInfo4.CATCH) ? cursor.number() : 0;
    if (stepsAt != 0) {
      part("unwind map", () -> steps(new Cursor(stepsAt)));
    }
    if (triesAt != 0) {
      part("try map", () -> tries(new Cursor(triesAt)));
    }
    if (statesAt != 0) {
      part("map of states", () -> states(statesAt));
    }
  }

  private boolean has(int flag) {
    return (header & flag) != 0;
  }

  private void part(String what, Runnable reader) {
    try {
      reader.run();
    } catch (DamagedInput e) {
      damaged("its " + what + ": " + e.what());
    }
  }

  /** Reads the unwind map: each entry has the distance back to the one that follows it. */
  private void steps(Cursor cursor) {
    int count = cursor.count("unwind map");
    long start = cursor.at;
    LongIntMap numbers = new LongIntMap();
    for (int i = 0; i < count; i++) {
      long at = cursor.at;
      numbers.put(at, i);
      long word = cursor.number();
      Action action = Action.values()[(int) word & 3];
      long handler = action == Action.NONE ? 0 : cursor.u32();
      boolean object = action == Action.DESTROY_OBJECT || action == Action.DESTROY_POINTED;
      long offset = object ? cursor.number() : 0;
      long before = at - (word >> 2);
      int next = before < start ? -1 : numbers.get(before);
      if (before >= start && next < 0 || next == i) {
        damaged("step " + i + " of its unwind map links to no step");
        next = -1;
      }
      steps.add(new Step(next, action, handler, offset));
    }
  }

  private void tries(Cursor cursor) {
    int count = cursor.count("try map");
    for (int i = 0; i < count; i++) {
      int low = (int) cursor.number();
      int high = (int) cursor.number();
      int catchHigh = (int) cursor.number();
      long handlers = cursor.u32();
      List<Catch> catches = new ArrayList<>();
      part("list of handlers", () -> catches(new Cursor(handlers), catches));
      tries.add(new Try(low, high, catchHigh, List.copyOf(catches)));
    }
  }

  private void catches(Cursor cursor, List<Catch> catches) {
    int count = cursor.count("list of handlers");
    for (int i = 0; i < count; i++) {
      int flags = cursor.u8();
      int adjectives = (flags & 1) != 0 ? (int) cursor.number() : 0;
      long type = (flags & 2) != 0 ? cursor.u32() : 0;
      long object = (flags & 4) != 0 ? cursor.number() : 0;
      long handler = cursor.u32();
      List<Long> continuations = new ArrayList<>();
      for (int k = 0; k < (flags >> 4 & 3); k++) {
        continuations.add((flags & 8) != 0 ? cursor.u32() : function + cursor.number());
      }
      catches.add(
          new Catch(
              adjectives, type, names.of(type), object, handler, 0, List.copyOf(continuations)));
    }
  }

  private void states(long at) {
    if (!has(FuncInfo4.SEPARATED)) {
      segments.add(segment(function, at));
      return;
    }
    Cursor cursor = new Cursor(at);
    int count = cursor.count("list of pieces");
    for (int i = 0; i < count; i++) {
      long begin = cursor.u32();
      segments.add(segment(begin, cursor.u32()));
    }
  }

  /**
   * Reads a map of states: each row has the distance of its address from the previous one, and its
   * state plus one.
   */
  private Segment segment(long begin, long at) {
    List<IpState> rows = new ArrayList<>();
    part(
        "map of states",
        () -> {
          Cursor cursor = new Cursor(at);
          int count = cursor.count("map of states");
          long ip = begin;
          for (int i = 0; i < count; i++) {
            ip += cursor.number();
            rows.add(new IpState(ip, (int) cursor.number() - 1));
          }
        });
    return new Segment(begin, List.copyOf(rows));
  }
}
