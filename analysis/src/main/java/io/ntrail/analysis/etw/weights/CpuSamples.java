package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.ProfileDiagnostics;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelFieldOffsets.Sample;
import io.ntrail.formats.etl.RecordCursor;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Samples of the timer, in samples or nanoseconds; also those of the processor's counters. */
final class CpuSamples implements WeightVisitor {
  /** Source of weights: samples of the timer. */
  static final WeightSource TIMER =
      new WeightSource(
          Metric.of("cpu", "CPU samples", WeightUnit.SAMPLES, WeightUnit.NANOS)
              .with(Metric.Trait.SAMPLED)
              .with(Metric.Trait.CPU_TIME)
              .recordedBy(
                  "wpr -start CPU, or: xperf -on PROC_THREAD+LOADER+PROFILE -stackwalk Profile"),
          KernelEvent.PERFINFO_SAMPLEPROF,
          KernelEvent.PERFINFO_SAMPLEDPROFILECACHE) {
        @Override
        public long eventsPerHit(MetricInventory inventory, Variant variant) {
          return inventory.onlyInterval(SampleWeights.CLOCK);
        }

        @Override
        WeightVisitor start(
            Profiler.Request request, MetricInventory inventory, ProfileDiagnostics diagnostics) {
          return new CpuSamples(weights(request, inventory, diagnostics), -1);
        }
      };

  /** Source of weights: samples of the processor's counters. */
  static final WeightSource COUNTERS =
      new WeightSource(
          Metric.of(
                  "pmc", "samples of the processor's counters", WeightUnit.EVENTS, WeightUnit.COUNT)
              .with(Metric.Trait.SAMPLED)
              .withChoice("counter", "samples of the counter", "other counters")
              .recordedBy(
                  "xperf -on PROC_THREAD+LOADER+PMC_PROFILE -PmcProfile InstructionRetired"
                      + " -stackwalk PmcInterrupt (WPR: a .wprp with the keyword PmcProfile)"),
          KernelEvent.PERFINFO_PMCCOUNTERPROF) {
        @Override
        public List<Variant> variants(MetricInventory inventory) {
          return inventory.pmcSources().keySet().stream()
              .map(counter -> counter(inventory, counter))
              .toList();
        }

        // The counter with the most samples; of several the first.
        @Override
        public Variant usualVariant(MetricInventory inventory) {
          Map<Integer, Long> samples = inventory.pmcSources();
          long most = Collections.max(samples.values());
          return samples.entrySet().stream()
              .filter(entry -> entry.getValue() == most)
              .map(entry -> counter(inventory, entry.getKey()))
              .findFirst()
              .orElseThrow();
        }

        @Override
        public long eventsPerHit(MetricInventory inventory, Variant variant) {
          return inventory.onlyInterval(variant.number());
        }

        @Override
        WeightVisitor start(
            Profiler.Request request, MetricInventory inventory, ProfileDiagnostics diagnostics) {
          int counter = request.variant().number();
          boolean areCounted = request.unit() == WeightUnit.COUNT;
          return new CpuSamples(
              new SampleWeights(
                  inventory, diagnostics, request.scope().idle(), counter, areCounted),
              counter);
        }
      };

  /** Returns what samples of the timer weigh. */
  static SampleWeights weights(
      Profiler.Request request, MetricInventory inventory, ProfileDiagnostics diagnostics) {
    return new SampleWeights(
        inventory,
        diagnostics,
        request.scope().idle(),
        SampleWeights.CLOCK,
        request.unit() == WeightUnit.SAMPLES);
  }

  private static Variant counter(MetricInventory inventory, int number) {
    String name = inventory.sourceName(number);
    return name == null
        ? new Variant(number, Integer.toString(number), "counter " + number)
        : new Variant(number, name, name);
  }

  private final SampleWeights weights;

  /** The source of the counter; negative for the timer. */
  private final int counter;

  /**
   * Creates a visitor.
   *
   * @param counter profile source of the counter; negative for the timer
   */
  private CpuSamples(SampleWeights weights, int counter) {
    this.weights = weights;
    this.counter = counter;
  }

  @Override
  public void visit(EventContext event) {
    switch (event.hook()) {
      case KernelEvent.PERFINFO_SAMPLEPROF -> {
        if (counter < 0) {
          sample(event, event.record().payloadOffset(), event.record().payloadLength());
        }
      }
      case KernelEvent.PERFINFO_SAMPLEDPROFILECACHE -> {
        if (counter < 0) {
          batch(event);
        }
      }
      case KernelEvent.PERFINFO_PMCCOUNTERPROF -> {
        if (counter >= 0) {
          counterSample(event);
        }
      }
      default -> {
        // Another kind of event.
      }
    }
  }

  private void sample(EventContext event, int at, int length) {
    RecordCursor record = event.record();
    Bytes payload = record.bytes();
    int pointer = record.pointerBytes();
    if (length < Sample.flags(pointer)) {
      event.tooShort();
      return;
    }
    int thread = payload.i32(at + Sample.threadId(pointer));
    int count = Math.max(1, payload.u16(at + Sample.count(pointer)));
    boolean flagged =
        record.version() >= 2
            && length > Sample.flags(pointer)
            && (payload.u8(at + Sample.flags(pointer)) & 3) != 0;
    give(
        event,
        thread,
        payload.pointer(at + Sample.INSTRUCTION_POINTER, pointer),
        thread != 0 || flagged,
        count);
  }

  /** u32 count, padded to a pointer, then samples of p + 4 + 4 bytes. */
  private void batch(EventContext event) {
    RecordCursor record = event.record();
    int pointer = record.pointerBytes();
    int length = record.payloadLength();
    if (length < 4) {
      event.tooShort();
      return;
    }
    int size = Sample.entryBytes(pointer);
    int first = Sample.firstEntry(pointer);
    long told = record.bytes().u32(record.payloadOffset());
    long samples = Math.clamp(told, 0, Math.max(0, length - first) / size);
    if (samples < told) {
      event.tooShort();
    }
    for (int i = 0; i < samples; i++) {
      sample(event, record.payloadOffset() + first + i * size, size);
    }
  }

  private void counterSample(EventContext event) {
    RecordCursor record = event.record();
    Bytes payload = record.bytes();
    int pointer = record.pointerBytes();
    int at = record.payloadOffset();
    if (record.payloadLength() < Sample.count(pointer) + 2) {
      event.tooShort();
      return;
    }
    if (payload.u16(at + Sample.count(pointer)) != counter) {
      return;
    }
    int thread = payload.i32(at + Sample.threadId(pointer));
    give(event, thread, payload.pointer(at + Sample.INSTRUCTION_POINTER, pointer), thread != 0, 1);
  }

  private void give(EventContext event, int thread, long address, boolean busy, int count) {
    if (!event.passesEvent()) {
      return;
    }
    long weight = weights.of(count, event.key());
    if (!busy) {
      event.idle(weight);
      if (!weights.areIdleToo()) {
        return;
      }
    }
    event.sampledStack(thread, address);
    event.giveSample(event.process(thread), thread, weight, busy);
  }
}
