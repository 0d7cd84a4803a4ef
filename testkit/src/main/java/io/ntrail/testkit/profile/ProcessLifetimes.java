package io.ntrail.testkit.profile;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Lifetimes of processes and threads; all times are positions in the order of the records. */
final class ProcessLifetimes {
  /** Before every record. */
  static final int BEGIN = -1;

  /** After every record. */
  static final int END = Integer.MAX_VALUE;

  /** One life of a process or thread id, {@code from <= time <= to}. */
  static final class Life {
    final long id;
    final int from;
    int to = END;

    /** The process: of a thread the one that it is of. */
    final long pid;

    /** The name of a process. */
    final String name;

    Life(long id, int from, long pid, String name) {
      this.id = id;
      this.from = from;
      this.pid = pid;
      this.name = name;
    }
  }

  private final List<Life> processes = new ArrayList<>();
  private final List<Life> threads = new ArrayList<>();

  ProcessLifetimes(List<OrderedRecord> records) {
    Map<Long, Life> openProcesses = new HashMap<>();
    Map<Long, Life> openThreads = new HashMap<>();
    for (OrderedRecord rec : records) {
      if (rec.hook >= 0x0301 && rec.hook <= 0x0304) {
        add(rec, rec.hook - 0x0300, process(rec), processes, openProcesses);
      } else if (rec.hook >= 0x0501 && rec.hook <= 0x0504) {
        add(rec, rec.hook - 0x0500, thread(rec), threads, openThreads);
      }
    }
  }

  private static void add(
      OrderedRecord rec, int kind, Life told, List<Life> all, Map<Long, Life> open) {
    Life before = open.get(told.id);
    if (kind == 1) {
      if (before != null) {
        before.to = rec.ordinal - 1;
      }
      open.put(told.id, told);
      all.add(told);
      return;
    }
    if (before == null) {
      int from = BEGIN;
      for (Life life : all) {
        if (life.id == told.id) {
          from = Math.max(from, life.to + 1);
        }
      }
      before = new Life(told.id, from, told.pid, told.name);
      open.put(told.id, before);
      all.add(before);
    }
    if (kind == 2) {
      before.to = rec.ordinal;
      open.remove(told.id);
    }
  }

  private static Life process(OrderedRecord rec) {
    LittleEndianReader in = rec.payload();
    in.p();
    long pid = in.u32();
    if (rec.version == 0) {
      in = rec.payload();
      pid = in.p();
      in.p();
    } else {
      in.u32();
      in.u32();
      in.u32();
      if (rec.version >= 3) {
        in.p();
      }
      if (rec.version >= 4) {
        in.u32();
      }
    }
    return new Life(pid, rec.ordinal, pid, afterSid(in, rec.pointer).narrow());
  }

  private static LittleEndianReader afterSid(LittleEndianReader in, int pointer) {
    byte[] rest = in.rest();
    if ((rest[0] | rest[1] | rest[2] | rest[3]) == 0) {
      return in.skip(4);
    }
    return in.skip(2 * pointer + 8 + 4 * rest[2 * pointer + 1]);
  }

  private static Life thread(OrderedRecord rec) {
    LittleEndianReader in = rec.payload();
    long first = in.u32();
    long second = in.u32();
    return rec.version == 0
        ? new Life(first, rec.ordinal, second, "")
        : new Life(second, rec.ordinal, first, "");
  }

  /** The last life that had begun: an id means its last owner until it is used again. */
  private static @Nullable Life at(List<Life> all, long id, int ordinal) {
    Life last = null;
    for (Life life : all) {
      if (life.id == id && life.from <= ordinal && (last == null || life.from > last.from)) {
        last = life;
      }
    }
    return last;
  }

  /** The process of a thread, or {@link OrderedRecord#NONE}. */
  long processOf(long tid, int ordinal) {
    Life life = at(threads, tid, ordinal);
    return life == null ? OrderedRecord.NONE : life.pid;
  }

  /** The name of a process, or {@code ?}. */
  String name(long pid, int ordinal) {
    Life life = at(processes, pid, ordinal);
    return life == null ? "?" : life.name;
  }

  /** When the life of a process began that its id means at a time. */
  int begin(long pid, int ordinal) {
    Life life = at(processes, pid, ordinal);
    return life == null ? BEGIN : life.from;
  }

  /** When that life ends, which may have been before the time. */
  int end(long pid, int ordinal) {
    Life life = at(processes, pid, ordinal);
    return life == null ? END : life.to;
  }

  /** The process of an event: what its payload or header says, else that of its thread's life. */
  long processOf(OrderedRecord rec) {
    if (rec.hook == 0x0262) {
      return rec.payload().skip(2 * rec.pointer).u32();
    }
    long tid = rec.thread();
    if (rec.pid != OrderedRecord.NONE && rec.tid == tid) {
      return rec.pid;
    }
    return processOf(tid, rec.ordinal);
  }
}
