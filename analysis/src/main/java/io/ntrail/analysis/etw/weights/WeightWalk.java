package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.analysis.etw.stacks.StackAssembler;
import io.ntrail.analysis.naming.FrameLookup;
import io.ntrail.analysis.profile.CollectedWeights;
import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.WeightSink;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
import org.jspecify.annotations.Nullable;

/**
 * Walk over the records of a recording, or of a stretch of its time, that gives a sink what a
 * source yields. One thread at a time.
 */
final class WeightWalk implements AutoCloseable {
  private final OrderedCursor cursor;
  private final StackAssembler stacks;
  private final WeightSource source;
  private final KernelEvents kernel;
  private final WeightVisitor visitor;
  private final EventContext event;
  private final WeightSink sink;

  /**
   * Stands before the first record.
   *
   * @param events selects events by name
   * @param cursor closed with the walk
   * @param stacks of the records of the cursor; closed with the walk
   */
  WeightWalk(
      ProfileInput input,
      Profiler.Request request,
      EventNameFilter events,
      FrameLookup frames,
      WeightSink sink,
      OrderedCursor cursor,
      StackAssembler stacks) {
    this.cursor = cursor;
    this.stacks = stacks;
    this.source = request.source();
    this.kernel = input.kernel();
    this.visitor = source.start(request, input.inventory(), sink.diagnostics());
    this.event = new EventContext(input, request.subject(), stacks, cursor, frames, events, sink);
    this.sink = sink;
  }

  /** The sink that weights are given to. */
  WeightSink sink() {
    return sink;
  }

  /** The stacks that it came to. */
  StackAssembler stacks() {
    return stacks;
  }

  /**
   * Goes on.
   *
   * @param until where weights are collected in the end, to stop when that is full; null: to the
   *     end
   * @return whether it came to the end
   */
  boolean run(@Nullable CollectedWeights until) {
    // A sample has all that is asked of it in itself.
    boolean isOfSamples = source.metric().has(Metric.Trait.SAMPLED);
    while (until == null || !until.isFull()) {
      if (!cursor.next()) {
        return true;
      }
      stacks.moveTo(cursor);
      RecordCursor record = cursor.record();
      int hook = hook(record);
      if (!isOfSamples) {
        event.moveTo(record, hook);
        visitor.visit(event);
      } else if (source.wants(hook)) {
        event.moveToSample(record, hook);
        visitor.visit(event);
      }
    }
    return false;
  }

  private int hook(RecordCursor record) {
    RecordKind kind = record.kind();
    if (kind.isHook()) {
      return record.hookId();
    }
    return kind.isClassic() ? kernel.hookId(record.provider(), record.opcode()) : -1;
  }

  /** Handles what is unfinished where the walk ends. */
  void finish() {
    visitor.finish(sink.diagnostics());
  }

  @Override
  public void close() {
    stacks.close();
    cursor.close();
  }
}
