package io.ntrail.testkit.profile;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The metrics wait and ready. */
final class SwitchMetrics {
  /** A thread that left its CPU and has not come back. */
  private static final class Away {
    final OrderedRecord left;
    final boolean waits;
    @Nullable OrderedRecord ready;

    Away(OrderedRecord left, boolean waits) {
      this.left = left;
      this.waits = waits;
    }
  }

  private final ReferenceProfiler profile;
  private final boolean wait;
  private final Map<Long, Away> away = new HashMap<>();
  private final Weight.Found found = new Weight.Found(new ArrayList<>(), true);

  private SwitchMetrics(ReferenceProfiler profile, boolean wait) {
    this.profile = profile;
    this.wait = wait;
    found.counters().putAll(Map.of("unfinished", 0L, "broken", 0L, "breaks", 0L));
  }

  static Weight.Found of(ReferenceProfiler profile, boolean wait) {
    SwitchMetrics made = new SwitchMetrics(profile, wait);
    made.all(profile.file.records);
    return made.found;
  }

  private void all(List<OrderedRecord> records) {
    Map<Integer, Long> last = new HashMap<>();
    for (OrderedRecord rec : records) {
      switch (rec.hook) {
        case 0x0524 -> {
          LittleEndianReader in = rec.payload();
          long next = in.u32();
          long old = in.u32();
          int state = in.skip(6).u8();
          Long before = last.put(rec.cpu, next);
          if (before != null && before != old) {
            found.count("breaks");
          }
          if (old != 0) {
            leave(rec, old, state);
          }
          if (next != 0) {
            come(rec, next);
          }
        }
        case 0x0532 -> {
          Away thread = away.get(rec.payload().u32());
          if (thread != null && thread.waits && thread.ready == null) {
            thread.ready = rec;
          }
        }
        case 0x0501, 0x0502 -> {
          LittleEndianReader in = rec.payload();
          long first = in.u32();
          drop(away.remove(rec.version == 0 ? first : in.u32()));
        }
        default -> {}
      }
    }
    away.values().forEach(this::drop);
  }

  private void drop(@Nullable Away thread) {
    if (thread != null && (wait ? thread.waits : !thread.waits || thread.ready != null)) {
      found.count("unfinished");
    }
  }

  private void leave(OrderedRecord rec, long tid, int state) {
    if (away.remove(tid) != null) {
      found.count("broken");
    }
    if (state != 4) {
      away.put(tid, new Away(rec, state != 1 && state != 3 && state != 7));
    }
  }

  private void come(OrderedRecord rec, long tid) {
    Away thread = away.remove(tid);
    if (thread == null) {
      return;
    }
    OrderedRecord since = thread.left;
    StackMatcher.Stack stack;
    if (wait) {
      if (!thread.waits) {
        return;
      }
      stack = own(thread.left, rec, tid);
    } else if (thread.waits) {
      if (thread.ready == null) {
        return;
      }
      since = thread.ready;
      stack = profile.stacks.of(thread.ready);
    } else {
      stack = own(thread.left, rec, tid);
    }
    long pid = profile.lives.processOf(tid, thread.left.ordinal);
    long value = rec.time - since.time;
    found.weights().add(new Weight(rec, thread.left, pid, tid, stack, value, false));
  }

  /** The thread's own stack: that of its leaving, else that of its coming back, else none. */
  private StackMatcher.Stack own(OrderedRecord left, OrderedRecord back, long tid) {
    StackMatcher.Stack stack = profile.stacks.of(left, tid);
    if (stack == null) {
      stack = profile.stacks.of(back, tid);
    }
    return stack != null
        ? stack
        : new StackMatcher.Stack(OrderedRecord.NONE, left.ordinal, List.of());
  }
}
