package io.ntrail.formats.ntr;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.ntr.ReferenceNtrReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a file says, as the program's reader sees it, in the form of {@link
 * ReferenceNtrReader}.
 *
 * @param holes gaps; neighbours are one
 * @param missing how many events are missing because of damage
 * @param byIndex whether the file was complete
 */
record Reading(
    Map<Long, List<ReferenceNtrReader.Event>> events,
    List<ReferenceNtrReader.Hole> holes,
    List<List<String>> open,
    Map<String, String> definitions,
    List<List<Long>> calibrations,
    Map<Long, Long> statistics,
    ReferenceNtrReader.Recording recording,
    int unknown,
    long missing,
    boolean byIndex) {
  static Reading of(byte[] bytes) {
    Gaps gaps = new Gaps();
    try (NtrFile file = NtrFile.open(InputFile.of(bytes, "test.ntr"), gaps)) {
      Map<Long, List<ReferenceNtrReader.Event>> events = new TreeMap<>();
      Map<Long, List<String>> open = new TreeMap<>();
      long missing = 0;
      for (long thread : file.threadsWithEvents()) {
        List<ReferenceNtrReader.Event> of = new ArrayList<>();
        try (ThreadEventCursor cursor = file.cursor(thread, gaps)) {
          EventChunk before = null;
          while (cursor.next()) {
            of.add(event(cursor));
            missing += cursor.missingBefore();
            EventChunk chunk = cursor.chunk();
            if (chunk != null && !chunk.equals(before)) {
              open.put(chunk.offset(), cursor.openFrames().stream().map(Reading::text).toList());
              before = chunk;
            }
          }
        }
        if (!of.isEmpty()) {
          events.put(thread, of);
        }
      }
      return new Reading(
          events,
          holes(gaps),
          List.copyOf(open.values()),
          definitions(file),
          file.calibrations().stream().map(c -> List.of(c.ticks(), c.nanos(), c.utc())).toList(),
          new TreeMap<>(file.statistics()),
          file.header()
              .map(Reading::recording)
              .orElse(new ReferenceNtrReader.Recording(List.of(), "")),
          file.unknownChunks(),
          missing,
          file.complete());
    }
  }

  /** Reads with both readers and compares; null if both say that it is not a recording. */
  static @Nullable Reading compared(byte[] bytes) {
    ReferenceNtrReader plain;
    try {
      plain = ReferenceNtrReader.read(bytes);
    } catch (IllegalArgumentException e) {
      try {
        of(bytes);
      } catch (CannotGoOn refused) {
        return null;
      }
      throw new AssertionError("refused by the plain reader alone", e);
    }
    Reading reading = of(bytes);
    Map<Long, List<ReferenceNtrReader.Event>> events = new TreeMap<>(plain.events());
    events.values().removeIf(List::isEmpty);
    assertEquals(together(plain.holes()), together(reading.holes), "gaps");
    assertEquals(events, reading.events, "events");
    assertEquals(plain.definitions(), reading.definitions, "definitions");
    assertEquals(plain.statistics(), reading.statistics, "statistics");
    List<List<Long>> calibrations = new ArrayList<>(plain.calibrations());
    calibrations.sort((a, b) -> Long.compareUnsigned(a.getFirst(), b.getFirst()));
    assertEquals(calibrations, reading.calibrations, "calibrations");
    assertEquals(plain.recording(), reading.recording, "recording");
    assertEquals(plain.unknown(), reading.unknown, "unknown chunks");
    return reading;
  }

  /** Holes side by side are one; that chunks are missing beside a hole is said by it. */
  private static List<ReferenceNtrReader.Hole> together(List<ReferenceNtrReader.Hole> holes) {
    List<ReferenceNtrReader.Hole> sorted = new ArrayList<>(holes);
    sorted.sort(
        Comparator.comparingLong(ReferenceNtrReader.Hole::offset)
            .thenComparingLong(ReferenceNtrReader.Hole::bytes));
    List<ReferenceNtrReader.Hole> union = new ArrayList<>();
    for (ReferenceNtrReader.Hole hole : sorted) {
      ReferenceNtrReader.Hole last = union.isEmpty() ? null : union.getLast();
      if (last != null && last.offset() + last.bytes() >= hole.offset()) {
        long end = Math.max(last.offset() + last.bytes(), hole.offset() + hole.bytes());
        union.set(
            union.size() - 1, new ReferenceNtrReader.Hole(last.offset(), end - last.offset()));
      } else {
        union.add(hole);
      }
    }
    return union;
  }

  long count() {
    return events.values().stream().mapToLong(List::size).sum();
  }

  private static ReferenceNtrReader.Event event(ThreadEventCursor cursor) {
    List<Long> values = new ArrayList<>();
    for (int i = 0; i < cursor.valueCount(); i++) {
      values.add(cursor.value(i));
    }
    return new ReferenceNtrReader.Event(
        cursor.event(),
        cursor.kind(),
        cursor.ticks(),
        cursor.function(),
        cursor.area(),
        cursor.slot(),
        cursor.key(),
        cursor.value(),
        values);
  }

  static String text(EventChunk.OpenFrame frame) {
    return Integer.toUnsignedString(frame.area())
        + (" " + frame.function() + " " + frame.slot() + " " + frame.key())
        + (" " + frame.returnAddress() + " " + frame.ticks() + " " + frame.call());
  }

  private static List<ReferenceNtrReader.Hole> holes(Gaps gaps) {
    List<ReferenceNtrReader.Hole> merged = new ArrayList<>();
    for (Gap gap : gaps.list()) {
      ReferenceNtrReader.Hole last = merged.isEmpty() ? null : merged.getLast();
      if (last != null && last.offset() + last.bytes() == gap.offset() && gap.bytes() > 0) {
        merged.set(
            merged.size() - 1,
            new ReferenceNtrReader.Hole(last.offset(), last.bytes() + gap.bytes()));
      } else {
        merged.add(new ReferenceNtrReader.Hole(gap.offset(), gap.bytes()));
      }
    }
    return merged;
  }

  private static ReferenceNtrReader.Recording recording(NtrHeader header) {
    return new ReferenceNtrReader.Recording(
        List.of(
            header.flags() & 0xFFFF_FFFFL,
            header.ticksPerSecond(),
            header.began(),
            header.beganUtc(),
            (long) header.machine(),
            (long) header.pointerBytes(),
            header.clock() & 0xFFFF_FFFFL),
        header.writer());
  }

  private static Map<String, String> definitions(NtrFile file) {
    Map<String, String> all = new TreeMap<>();
    for (TracedProcess p : file.processes().values()) {
      String text = p.pid() + " " + p.began() + " " + p.name() + " " + p.commandLine();
      text += p.machine() == 0 ? "" : " " + p.machine();
      all.put("process " + p.number(), text.strip());
      if (p.ended() != 0) {
        all.put("process end " + p.number(), p.ended() + " " + p.exitCode());
      }
    }
    for (TracedThread t : file.threads().values()) {
      String text = t.process() + " " + t.tid() + " " + t.began() + " " + t.name();
      all.put("thread " + t.number(), text.strip());
      if (t.ended() != 0) {
        all.put("thread end " + t.number(), "" + t.ended());
      }
    }
    for (TracedModule m : file.modules().values()) {
      String text = m.process() + " " + m.base() + " " + m.image().size();
      text += " " + m.image().timestamp() + " " + m.loaded() + " " + m.path() + " ";
      if (m.pdb() != null) {
        text += "%016x %016x ".formatted(m.pdb().guid().low(), m.pdb().guid().high());
        text += m.pdb().age() + " " + m.pdbName();
      }
      all.put("module " + m.number(), text.strip());
      if (m.unloaded() != 0) {
        all.put("module end " + m.number(), "" + m.unloaded());
      }
    }
    for (TracedFunction f : file.functions().values()) {
      StringBuilder text = new StringBuilder();
      text.append(f.module()).append(' ').append(f.rva()).append(' ').append(f.name()).append(' ');
      f.arguments().forEach(place -> text.append(Integer.toUnsignedString(place)).append(' '));
      f.prototype()
          .ifPresent(its -> {
            text.append(its.convention().ordinal() + 1).append(' ');
            int flags = (its.returnsWide() ? 1 : 0) | (its.mayHaveMore() ? 2 : 0);
            text.append(flags | (its.isAssumed() ? 4 : 0)).append(' ');
            its.places().forEach(place -> text.append(place).append(' '));
          });
      all.put("function " + f.number(), text.toString().strip());
    }
    for (UntracedModule u : file.untraced().values()) {
      String text = u.process() + " " + u.from() + " " + u.to() + " " + u.module() + " " + u.why();
      all.put("untraced " + u.number(), text.strip());
    }
    for (TracedProcess.Hold h : file.holds().values()) {
      String text = h.process() + " " + h.from() + " " + h.to() + " " + h.why();
      all.put("hold " + h.number(), text.strip());
    }
    for (TracedThread.Callers c : file.callers().values()) {
      StringBuilder text = new StringBuilder();
      text.append(c.process()).append(' ').append(c.tid()).append(' ').append(c.ticks());
      text.append(' ').append(c.key()).append(' ').append(c.end()).append(' ').append(c.why());
      for (TracedThread.Frame frame : c.frames()) {
        text.append(" %x ".formatted(frame.address())).append(frame.trust());
        text.append(' ').append(frame.offset());
      }
      all.put("callers " + c.number(), text.toString().strip());
    }
    for (CallTotals one : file.totals().values()) {
      List<Long> numbers = new ArrayList<>();
      numbers.addAll(List.of(one.function(), one.thread(), one.from(), one.to()));
      numbers.addAll(List.of((long) one.why(), one.calls()));
      CallTotals.Times times = one.times();
      if (times.measured()) {
        numbers.addAll(List.of(times.entryOnly(), times.exits(), times.unwinds()));
        numbers.addAll(List.of(times.abandoned(), times.total(), times.self()));
        numbers.addAll(List.of(times.shortest(), times.longest()));
        numbers.addAll(times.histogram());
      }
      all.put(
          "totals " + one.number(),
          numbers.stream().map(String::valueOf).collect(Collectors.joining(" ")));
    }
    return all;
  }
}
