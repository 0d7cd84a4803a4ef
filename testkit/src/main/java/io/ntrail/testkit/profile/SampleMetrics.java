package io.ntrail.testkit.profile;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The metrics that are counted event by event: cpu, pmc, fault, alloc. */
final class SampleMetrics {
  private static final long DEFAULT_INTERVAL = 10_000;

  private final ReferenceProfiler profile;
  private final @Nullable String unit;
  private final Weight.Found found = new Weight.Found(new ArrayList<>(), false);

  SampleMetrics(ReferenceProfiler profile, @Nullable String unit) {
    this.profile = profile;
    this.unit = unit;
  }

  private static boolean isInterval(OrderedRecord rec, long source) {
    return rec.hook >= 0x0F48 && rec.hook <= 0x0F4A && rec.payload().u32() == source;
  }

  /** The interval of a source at an event: of the last record before it, else the first after. */
  private long interval(OrderedRecord at, long source, long otherwise) {
    OrderedRecord told = null;
    for (OrderedRecord rec : profile.file.records) {
      if (isInterval(rec, source) && (rec.ordinal < at.ordinal || told == null)) {
        told = rec;
      }
    }
    return told == null ? otherwise : told.payload().skip(4).u32();
  }

  private void add(OrderedRecord rec, long tid, @Nullable Long ip, long value, boolean idle) {
    StackMatcher.Stack stack = profile.stacks.of(rec);
    long pid = profile.lives.processOf(rec);
    if (rec.hook == 0x0F37) {
      pid = profile.lives.processOf(tid, rec.ordinal);
      stack = new StackMatcher.Stack(pid, rec.ordinal, List.of());
    }
    if (ip != null) {
      stack = stack.under(ip);
    }
    found.weights().add(new Weight(rec, rec, pid, tid, stack, value, idle));
  }

  Weight.Found cpu() {
    for (OrderedRecord rec : profile.file.records) {
      if (rec.hook == 0x0F2E) {
        sample(rec, rec.payload());
      } else if (rec.hook == 0x0F37) {
        LittleEndianReader in = rec.payload();
        long entries = in.u32();
        in.skip(rec.pointer - 4);
        for (long i = 0; i < entries; i++) {
          sample(rec, in);
        }
      }
    }
    return found;
  }

  private void sample(OrderedRecord rec, LittleEndianReader in) {
    long ip = in.p();
    long tid = in.u32();
    long count = Math.max(1, in.u16());
    int flags = 0;
    if (rec.hook == 0x0F37 || rec.version >= 2) {
      flags = in.u8();
      in.u8();
    }
    if ("ns".equals(unit)) {
      count *= 100 * interval(rec, 0, DEFAULT_INTERVAL);
    }
    add(rec, tid, ip, count, tid == 0 && (flags & 3) == 0);
  }

  Weight.Found pmc(@Nullable String source) {
    Map<Long, Long> counts = new TreeMap<>();
    for (OrderedRecord rec : profile.file.records) {
      if (rec.hook == 0x0F2F) {
        counts.merge((long) rec.payload().skip(rec.pointer + 4).u16(), 1L, Long::sum);
      }
    }
    long chosen = source == null ? -1 : Long.parseLong(source);
    if (source == null) {
      for (Map.Entry<Long, Long> entry : counts.entrySet()) {
        if (entry.getValue() > counts.getOrDefault(chosen, 0L)) {
          chosen = entry.getKey();
        }
      }
    }
    for (OrderedRecord rec : profile.file.records) {
      if (rec.hook == 0x0F2F) {
        LittleEndianReader in = rec.payload();
        long ip = in.p();
        long tid = in.u32();
        if (in.u16() == chosen) {
          add(rec, tid, ip, "count".equals(unit) ? 1 : interval(rec, chosen, 1), tid == 0);
        }
      }
    }
    return found;
  }

  Weight.Found faults() {
    boolean told = profile.file.records.stream().anyMatch(rec -> rec.hook == 0x020E);
    boolean bytes = "bytes".equals(unit);
    for (OrderedRecord rec : profile.file.records) {
      if (rec.isFault()) {
        LittleEndianReader in = rec.payload();
        in.p();
        add(rec, rec.thread(), in.p(), bytes ? 0 : 1, false);
      } else if (rec.hook == 0x0220) {
        long size = rec.payload().skip(16 + 2 * rec.pointer + 4).u32();
        add(rec, rec.thread(), null, bytes ? size : told ? 0 : 1, false);
      }
    }
    return found;
  }

  Weight.Found allocations(@Nullable String source) {
    for (String kind : List.of("gc", "heap", "virtual", "pool")) {
      if (source != null && !kind.equals(source)) {
        continue;
      }
      for (OrderedRecord rec : profile.file.records) {
        Long size = size(rec, kind);
        if (size != null) {
          add(rec, rec.thread(), null, "count".equals(unit) ? 1 : size, false);
        }
      }
      if (!found.weights().isEmpty()) {
        break;
      }
    }
    return found;
  }

  private static @Nullable Long size(OrderedRecord rec, String kind) {
    LittleEndianReader in = rec.payload();
    switch (kind) {
      case "gc" -> {
        if (OrderedRecord.CLR.equals(rec.provider) && rec.id == 10) {
          return rec.version >= 2 ? Long.valueOf(in.skip(10).u64()) : Long.valueOf(in.u32());
        }
      }
      case "heap" -> {
        if (rec.hook == 0x1021) {
          return in.skip(rec.pointer).p();
        }
        if (rec.hook == 0x1022) {
          return in.skip(3 * rec.pointer).p();
        }
      }
      case "virtual" -> {
        if (rec.hook == 0x0262) {
          in.p();
          long size = in.p();
          in.u32();
          return (in.u32() & 0x1000) != 0 ? size : null;
        }
      }
      default -> {
        if (rec.hook == 0x0E20 || rec.hook == 0x0E21) {
          return in.skip(8).p();
        }
      }
    }
    return null;
  }
}
