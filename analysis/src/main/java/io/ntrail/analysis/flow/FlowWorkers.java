package io.ntrail.analysis.flow;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.formats.pt.PsbSearch;
import io.ntrail.programs.memory.AddressSpace;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Decodes the segments of a stream ahead of the one who puts them together. */
final class FlowWorkers implements AutoCloseable {
  /** Things that a thread keeps from segment to segment. */
  record Worker(CodeBlocks blocks, FlowTotals scratch) {}

  private record Ahead(long from, Future<FlowSegment> result) {}

  private final InputFile input;
  private final AddressSpace code;
  private final FlowSettings settings;
  private final boolean keepsRuns;
  private final boolean wantsTime;
  private final int segmentBytes;
  private final int most;
  private final ExecutorService executor;
  private final ConcurrentLinkedQueue<Worker> idle = new ConcurrentLinkedQueue<>();
  private final Deque<Ahead> ahead = new ArrayDeque<>();

  /** Offset of the PSB that the next segment begins with; the size of the stream if none does. */
  private long next;

  FlowWorkers(
      InputFile input,
      AddressSpace code,
      FlowSettings settings,
      boolean keepsRuns,
      boolean wantsTime,
      int cores,
      int segmentBytes) {
    this.input = input;
    this.code = code;
    this.settings = settings;
    this.keepsRuns = keepsRuns;
    this.wantsTime = wantsTime;
    this.segmentBytes = segmentBytes;
    this.most = 2 * cores;
    this.executor = Executors.newFixedThreadPool(cores);
    this.next = psb(0);
  }

  private long psb(long from) {
    long found = PsbSearch.next(input, Math.min(from, input.size()));
    return found < 0 ? input.size() : found;
  }

  boolean keepsRuns() {
    return keepsRuns;
  }

  boolean wantsTime() {
    return wantsTime;
  }

  FlowSettings settings() {
    return settings;
  }

  PacketCursor newCursor() {
    return PacketCursor.joined(input, settings.errata());
  }

  Worker take() {
    Worker known = idle.poll();
    return known != null ? known : new Worker(new CodeBlocks(code), new FlowTotals());
  }

  void give(Worker worker) {
    idle.add(worker);
  }

  /** Begins segments, as many as may be kept. */
  private void submit() {
    while (ahead.size() < most && next < input.size()) {
      long from = next;
      next = psb(from + segmentBytes);
      ahead.add(new Ahead(from, executor.submit(new FlowSegment(this, from, next))));
    }
  }

  /**
   * Returns the offset of the PSB that the next segment begins with, at a place or behind it; the
   * size of the stream if there is none.
   */
  long after(long offset) {
    while (!ahead.isEmpty() && ahead.getFirst().from < offset) {
      ahead.removeFirst().result.cancel(false);
    }
    if (ahead.isEmpty() && next < offset) {
      next = psb(offset);
    }
    submit();
    return ahead.isEmpty() ? input.size() : ahead.getFirst().from;
  }

  /** Waits for the segment that begins at an offset; null if it came to nothing. */
  @Nullable FlowSegment at(long offset) {
    Ahead first = ahead.removeFirst();
    if (first.from != offset) {
      throw new IllegalArgumentException("no segment at " + offset);
    }
    try {
      FlowSegment segment = first.result.get();
      submit();
      return segment;
    } catch (ExecutionException _) {
      // It is decoded again, and fails then as it does with one thread.
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CannotGoOn.interrupted();
    }
  }

  @Override
  public void close() {
    executor.shutdownNow();
    executor.close();
  }
}
