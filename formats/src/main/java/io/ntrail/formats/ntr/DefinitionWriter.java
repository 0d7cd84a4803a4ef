package io.ntrail.formats.ntr;

import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Omission;
import io.ntrail.formats.identity.CallPrototype;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writer of definition records (docs/ntr.md section 4), which it collects into chunks. */
final class DefinitionWriter {
  private static final int CHUNK_BYTES = 1 << 16;

  private final NtrWriter writer;
  private final ColumnWriter definitions = new ColumnWriter(1 << 10);
  private final ColumnWriter record = new ColumnWriter(1 << 8);
  private @Nullable CurrentDefinitions remembered;
  private @Nullable RecordingFollower follower;

  /** Number of the last omission or gap. */
  private long told;

  DefinitionWriter(NtrWriter writer) {
    this.writer = writer;
  }

  /** Lets somebody follow what is defined from now on. */
  void follow(RecordingFollower by) {
    follower = by;
  }

  void process(TracedProcess process) throws IOException {
    if (follower != null) {
      follower.process(process);
    }
    record.var(process.number());
    record.var(process.pid());
    record.var(process.began());
    record.text(process.name());
    record.text(process.commandLine());
    if (process.machine() != 0) {
      record.var(process.machine());
    }
    define(NtrLayout.PROCESS, process.number());
    if (process.ended() != 0) {
      record.var(process.number());
      record.var(process.ended());
      record.var(process.exitCode());
      define(NtrLayout.PROCESS_END, process.number());
    }
  }

  void thread(TracedThread thread) throws IOException {
    if (follower != null) {
      follower.thread(thread);
    }
    record.var(thread.number());
    record.var(thread.process());
    record.var(thread.tid());
    record.var(thread.began());
    record.text(thread.name());
    define(NtrLayout.THREAD, thread.number());
    if (thread.ended() != 0) {
      record.var(thread.number());
      record.var(thread.ended());
      define(NtrLayout.THREAD_END, thread.number());
    }
  }

  void module(TracedModule module) throws IOException {
    if (follower != null) {
      follower.module(module);
    }
    record.var(module.number());
    record.var(module.process());
    record.var(module.base());
    record.var(module.image().size());
    record.var(module.image().timestamp());
    record.var(module.loaded());
    record.text(module.path());
    if (module.pdb() == null) {
      record.var(0);
    } else {
      record.var(1);
      record.guid(module.pdb().guid());
      record.var(module.pdb().age());
      record.text(module.pdbName());
    }
    define(NtrLayout.MODULE, module.number());
    if (module.unloaded() != 0) {
      record.var(module.number());
      record.var(module.unloaded());
      define(NtrLayout.MODULE_END, module.number());
    }
  }

  void function(TracedFunction function) throws IOException {
    if (follower != null) {
      follower.function(function);
    }
    record.var(function.number());
    record.var(function.module());
    record.var(function.rva());
    record.text(function.name());
    if (function.arguments().size() > NtrLayout.MAX_VALUES) {
      throw new IllegalArgumentException("more than 32 arguments: " + function);
    }
    record.var(function.arguments().size());
    for (int place : function.arguments()) {
      record.var(place);
    }
    function.prototype().ifPresent(this::prototype);
    define(NtrLayout.FUNCTION, function.number());
  }

  private void prototype(CallPrototype prototype) {
    if (prototype.places().size() > NtrLayout.MAX_VALUES) {
      throw new IllegalArgumentException("more than 32 places: " + prototype);
    }
    record.var(1 + prototype.convention().ordinal());
    record.var(
        (prototype.returnsWide() ? 1 : 0)
            + (prototype.mayHaveMore() ? 2 : 0)
            + (prototype.isAssumed() ? 4 : 0));
    record.var(prototype.places().size());
    for (int place : prototype.places()) {
      record.var(place);
    }
  }

  void calibration(ClockCalibration calibration) throws IOException {
    if (follower != null) {
      follower.calibration(calibration);
    }
    record.var(calibration.ticks());
    record.var(calibration.nanos());
    record.var(calibration.utc());
    define(NtrLayout.CALIBRATION, calibration.ticks());
  }

  void untraced(UntracedModule untraced) throws IOException {
    record.var(untraced.number());
    record.var(untraced.process());
    record.var(untraced.from());
    record.var(untraced.to());
    record.text(untraced.module());
    record.text(untraced.why());
    define(NtrLayout.UNTRACED, untraced.number());
  }

  void hold(TracedProcess.Hold hold) throws IOException {
    record.var(hold.number());
    record.var(hold.process());
    record.var(hold.from());
    record.var(hold.to());
    record.text(hold.why());
    define(NtrLayout.HOLD, hold.number());
  }

  void callers(TracedThread.Callers callers) throws IOException {
    if (follower != null) {
      follower.callers(callers);
    }
    if (callers.frames().size() > NtrLayout.MAX_CALLERS) {
      throw new IllegalArgumentException("more than 1,024 frames");
    }
    record.var(callers.number());
    record.var(callers.process());
    record.var(callers.tid());
    record.var(callers.ticks());
    record.var(callers.key());
    record.var(callers.end());
    record.text(callers.why());
    record.var(callers.frames().size());
    long address = 0;
    for (TracedThread.Frame frame : callers.frames()) {
      record.zig(frame.address() - address);
      record.var(frame.trust());
      record.var(frame.offset());
      address = frame.address();
    }
    define(NtrLayout.CALLERS, callers.number());
  }

  void totals(CallTotals totals) throws IOException {
    record.var(totals.number());
    record.var(totals.function());
    record.var(totals.thread());
    record.var(totals.from());
    record.var(totals.to());
    record.var(totals.why());
    record.var(totals.calls());
    CallTotals.Times times = totals.times();
    record.var(times.measured() ? 1 : 0);
    if (times.measured()) {
      record.var(times.entryOnly());
      record.var(times.exits());
      record.var(times.unwinds());
      record.var(times.abandoned());
      record.var(times.total());
      record.var(times.self());
      record.var(times.shortest());
      record.var(times.longest());
      record.var(times.histogram().size());
      for (long count : times.histogram()) {
        record.var(count);
      }
    }
    define(NtrLayout.TOTALS, totals.number());
  }

  void omission(Omission omission) throws IOException {
    record.var(++told);
    record.var(omission.records());
    record.text(omission.what());
    define(NtrLayout.OMISSION, told);
  }

  void gap(Gap gap) throws IOException {
    record.var(++told);
    record.var(gap.offset());
    record.zig(gap.bytes());
    record.text(gap.file());
    record.text(gap.what());
    record.text(gap.why());
    define(NtrLayout.GAP, told);
  }

  void wholeThread(TracedThread.Whole whole) throws IOException {
    record.var(whole.number());
    record.var(whole.firstTicks());
    record.var(whole.hasStacks() ? 1 : 0);
    define(NtrLayout.WHOLE_THREAD, whole.number());
  }

  void lostElsewhere(long records) throws IOException {
    record.var(records);
    define(NtrLayout.LOST_ELSEWHERE, 0);
  }

  private void define(int kind, long what) throws IOException {
    CurrentDefinitions memory = remembered;
    if (memory != null) {
      memory.add(kind, what, Arrays.copyOf(record.bytes, record.size));
    }
    define(kind);
  }

  private void define(int kind) throws IOException {
    if (definitions.size > 0 && definitions.size + record.size > CHUNK_BYTES) {
      flush();
    }
    definitions.var(kind);
    definitions.var(record.size);
    definitions.put(record.bytes, 0, record.size);
    record.size = 0;
  }

  /** Writes the chunk of the definitions that are collected. */
  void flush() throws IOException {
    if (definitions.size > 0) {
      writer.definitionsChunk(definitions);
    }
  }

  /** Keeps a copy of all definitions from now on, for {@link #repeat}. */
  void remember() {
    remembered = new CurrentDefinitions();
  }

  /** Drops the copy of the definition of a thread that no event refers to any more. */
  void forgetThread(long thread) {
    if (remembered != null) {
      remembered.forget(NtrLayout.THREAD, thread);
    }
  }

  /** Collects all remembered definitions again, for the start of another file. */
  void repeat() throws IOException {
    if (remembered != null) {
      for (Map.Entry<CurrentDefinitions.Key, byte[]> definition : remembered.records().entrySet()) {
        record.put(definition.getValue(), 0, definition.getValue().length);
        define(definition.getKey().kind());
      }
    }
  }
}
