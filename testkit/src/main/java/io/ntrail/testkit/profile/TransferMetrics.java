package io.ntrail.testkit.profile;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The metrics disk and file. */
final class TransferMetrics {
  private TransferMetrics() {}

  private static boolean isNanos(@Nullable String unit) {
    return unit == null || unit.equals("ns");
  }

  static Weight.Found disk(ReferenceProfiler profile, @Nullable String unit) {
    Weight.Found found = new Weight.Found(new ArrayList<>(), isNanos(unit));
    List<OrderedRecord> records = profile.file.records;
    Set<OrderedRecord> used = new HashSet<>();
    for (OrderedRecord rec : records) {
      if (!rec.isDisk()) {
        continue;
      }
      LittleEndianReader in = rec.payload().skip(8);
      long bytes = 0;
      long response = 0;
      Long irp = null;
      if (rec.isDiskTransfer()) {
        bytes = in.u32();
        in.skip(12).p();
        if (rec.version >= 2) {
          irp = in.p();
        }
        response = rec.version >= 1 ? in.u64() : 0;
      } else {
        response = in.u64();
        irp = in.p();
      }
      OrderedRecord init = null;
      for (OrderedRecord earlier : records.subList(0, rec.ordinal)) {
        // An Irp that starts again has ended, even if its end was not recorded.
        if (irp != null && earlier.isDiskInit() && earlier.payload().p() == irp) {
          init = earlier;
        }
      }
      init = used.contains(init) ? null : init;
      long tid = rec.namedThread();
      if (init != null) {
        used.add(init);
        tid = tid != OrderedRecord.NONE ? tid : init.thread();
      }
      long pid = profile.lives.processOf(tid, rec.ordinal);
      long value = isNanos(unit) ? response : "bytes".equals(unit) ? bytes : 1;
      StackMatcher.Stack stack = profile.stacks.of(init != null ? init : rec);
      found.weights().add(new Weight(rec, rec, pid, tid, stack, value, false));
    }
    return found;
  }

  static Weight.Found file(ReferenceProfiler profile, @Nullable String unit) {
    Weight.Found found = new Weight.Found(new ArrayList<>(), isNanos(unit));
    found.counters().putAll(Map.of("unfinished", 0L, "broken", 0L));
    Map<Long, OrderedRecord> open = new HashMap<>();
    for (OrderedRecord rec : profile.file.records) {
      if (rec.isFile()) {
        boolean transfer = rec.hook == 0x0443 || rec.hook == 0x0444;
        if (open.put(rec.payload().skip(transfer ? 8 : 0).p(), rec) != null) {
          found.count("unfinished");
        }
      } else if (rec.hook == 0x044C) {
        OrderedRecord begin = open.remove(rec.payload().p());
        if (begin == null) {
          found.count("broken");
          continue;
        }
        long value = isNanos(unit) ? rec.time - begin.time : 1;
        if ("bytes".equals(unit)) {
          value = ioSize(begin);
        }
        long pid = profile.lives.processOf(begin);
        StackMatcher.Stack stack = profile.stacks.of(begin);
        found.weights().add(new Weight(rec, begin, pid, begin.thread(), stack, value, false));
      }
    }
    open.values().forEach(rec -> found.count("unfinished"));
    return found;
  }

  private static long ioSize(OrderedRecord rec) {
    if (rec.hook != 0x0443 && rec.hook != 0x0444) {
      return 0;
    }
    LittleEndianReader in = rec.payload().skip(8 + 3 * rec.pointer);
    if (rec.version < 3) {
      in.p();
    } else {
      in.u32();
    }
    return in.u32();
  }
}
